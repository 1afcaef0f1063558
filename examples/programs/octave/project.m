% Find directions: those of the largest covariance with the labels.
load input.mat                                % X, Y, k, seed
X = full(X);
n = size(X, 1);
x = X - repmat(mean(X), n, 1);
y = Y - repmat(mean(Y), n, 1);
[u, s, v] = svd(x' * y, 'econ');
directions = u(:, 1:min(k, size(u, 2)));
save('-v6', 'output.mat', 'directions');
