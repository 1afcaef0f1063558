% Encode labels: principal label space transformation.
load input.mat                                % X, Y, k, seed
mean_ = mean(Y);
z = Y - repmat(mean_, size(Y, 1), 1);
[u, s, v] = svd(z, 'econ');
codes = z * v(:, 1:k);
decoder = v(:, 1:k)';
output.codes = codes;
output.decoder = decoder;
output.mean = mean_;                          % added to what is decoded
save('-v6', 'output.mat', '-struct', 'output');
