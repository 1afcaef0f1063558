% Score features: the sum over labels of their squared correlations with a feature.
load input.mat                                % X, Y, k, seed
X = full(X);
n = size(X, 1);
x = X - repmat(mean(X), n, 1);
y = Y - repmat(mean(Y), n, 1);
r = (x' * y) ./ (sqrt(sum(x .^ 2))' * sqrt(sum(y .^ 2)));
r(isnan(r)) = 0;                              % of labels that all rows have, or none
scores = sum(r .^ 2, 2);
save('-v6', 'output.mat', 'scores');          % in MATLAB: save('output.mat', 'scores', '-v6')
