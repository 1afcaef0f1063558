"""Selectors by sparse regression, written down plainly: every matrix dense, every inverse a solve.

What the fast ones must equal. X and Y are arrays, S are weights of a graph; Y may hold NaN where a label is not known.
Each function returns the coefficients after some rounds, and what else it finds; each objective is that of the paper.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg


def laplacian(S):
    return np.diag(S.sum(axis=1)) - S


def cosines(Y):
    """Of the columns; 0 for a label that nobody has, but 0 of itself too."""
    norms = np.linalg.norm(Y, axis=0)
    return np.array([[a @ b / (m * n) if m * n > 0 else 0.0 for b, n in zip(Y.T, norms, strict=True)]
                     for a, m in zip(Y.T, norms, strict=True)])  # fmt: skip


def label_weights(Y, graph):
    """Of pairs of labels that occur: one, or their cosine."""
    return cosines(Y) if graph == "cosine" else np.outer(Y.any(axis=0), Y.any(axis=0)).astype(float)


def lengths(W):
    return np.array([np.sqrt(sum(value**2 for value in row)) for row in W])


def weights(W):
    """The diagonal matrix that stands in for the L2,1 norm."""
    return np.diag(1.0 / (2.0 * np.maximum(lengths(W), 1e-150)))


def centring(n):
    return np.eye(n) - np.ones((n, n)) / n


def bends(F, L):
    return np.trace(F.T @ L @ F)


def mssl(X, Y, S, alpha, gamma, rounds):
    H, D = centring(len(X)), np.eye(X.shape[1])
    for _ in range(rounds):
        W = np.linalg.solve(X.T @ H @ X + alpha * laplacian(S) + gamma * D, X.T @ H @ Y)
        D = weights(W)
    return W


def mssl_objective(X, Y, S, W, alpha, gamma):
    H = centring(len(X))
    return np.sum((H @ X @ W - H @ Y) ** 2) + alpha * bends(W, laplacian(S)) + gamma * lengths(W).sum()


def sfus(X, Y, c, beta, gamma, rounds):
    """Also how far apart the singular values were at which the subspace ends: equal ones leave it open."""
    H, D, Q, gap = centring(len(X)), np.eye(X.shape[1]), np.zeros((X.shape[1], 0)), 1.0
    for _ in range(rounds):
        outside = np.eye(X.shape[1]) - Q @ Q.T
        W = np.linalg.solve(X.T @ H @ X + beta * outside + gamma * D, X.T @ H @ Y)
        values, vectors = np.linalg.eigh(W @ W.T)
        gap = min(gap, (values[-c] - values[-c - 1]) / values[-1])
        Q = vectors[:, ::-1][:, :c]
        D = weights(W)
    return W, Q, gap


def sfus_objective(X, Y, W, Q, beta, gamma):
    H = centring(len(X))
    return np.sum((H @ X @ W - H @ Y) ** 2) + beta * np.sum((W - Q @ (Q.T @ W)) ** 2) + gamma * lengths(W).sum()


def filled(Y):
    """Labels with the mean of the known ones of the same label in place of the others."""
    F = Y.copy()
    for column in F.T:
        missing = np.isnan(column)
        column[missing] = column[~missing].mean() if not missing.all() else 0.0
    return F


def csfs(X, Y, gamma, rounds):
    H, D, F, known = centring(len(X)), np.eye(X.shape[1]), filled(Y), ~np.isnan(Y)
    for _ in range(rounds):
        W = np.linalg.solve(X.T @ H @ X + gamma * D, X.T @ H @ F)
        b = (F - X @ W).mean(axis=0)
        F = np.where(known, Y, np.clip(X @ W + b, 0, 1))
        D = weights(W)
    return W, F


def csfs_objective(X, F, W, gamma):
    H = centring(len(X))
    return np.sum((H @ X @ W - H @ F) ** 2) + gamma * lengths(W).sum()


def mdfs(X, Y, S, alpha, beta, gamma, rounds, label_graph="complete"):
    """F by a Sylvester equation; with labels that are not known by the system of all its entries."""
    n, q = Y.shape
    H, D, F, known = centring(n), np.eye(X.shape[1]), filled(Y), ~np.isnan(Y)
    Y = np.where(known, Y, 0.0)
    L, L0 = laplacian(S), laplacian(label_weights(Y, label_graph))
    for _ in range(rounds):
        W = np.linalg.solve(X.T @ H @ X + gamma * D, X.T @ H @ F)
        target = X @ W + (F - X @ W).mean(axis=0) + alpha * Y
        if known.all():
            F = scipy.linalg.solve_sylvester(L + (1 + alpha) * np.eye(n), beta * L0, target)
        else:
            system = (
                np.kron(np.eye(q), L + np.eye(n)) + np.kron(beta * L0, np.eye(n)) + alpha * np.diag(known.T.ravel())
            )
            F = np.linalg.solve(system, target.T.ravel()).reshape(q, n).T
        D = weights(W)
    return W, F


def mdfs_objective(X, Y, S, F, W, alpha, beta, gamma, label_graph="complete"):
    H, known = centring(len(X)), ~np.isnan(Y)
    Y = np.where(known, Y, 0.0)
    L, L0 = laplacian(S), laplacian(label_weights(Y, label_graph))
    smooth = bends(F, L) + np.sum((H @ X @ W - H @ F) ** 2) + alpha * np.sum((F - Y)[known] ** 2)
    return smooth + beta * np.trace(F @ L0 @ F.T) + gamma * lengths(W).sum()


def entropy(values):
    """In bits, of two values."""
    shares = [np.mean(values), 1 - np.mean(values)]
    return -sum(share * np.log2(share) for share in shares if share > 0)


def correlations(X, Y):
    """Of each feature, above the cut that halves its instances best or below, with each label."""
    K = np.zeros((X.shape[1], Y.shape[1]))
    for j, x in enumerate(X.T):
        cuts = sorted(set(x))[1:]
        upper = x >= min(cuts, key=lambda cut: abs(sum(x < cut) - len(x) / 2)) if cuts else x * 0
        for m, y in enumerate(Y.T):
            if (y == 0).any() and (y == 1).any():
                K[j, m] = entropy(upper[y == 0]) - entropy(upper[y == 1])
    return K


def similarities(X):
    """Gaussian, of the columns, as wide as their mean distance."""
    d = X.shape[1]
    distances = np.array([[np.linalg.norm(x - other) for other in X.T] for x in X.T])
    return np.exp(-(distances**2) / (2 * (distances.sum() / (d * (d - 1))) ** 2))


def scnmf(X, Y, alpha, beta, gamma, rounds):
    G, R, W = similarities(X), 1 - cosines(Y), np.full((X.shape[1], Y.shape[1]), 0.5)
    for _ in range(rounds):
        below = X.T @ X @ W + gamma * weights(W) @ W + 2 * alpha * W @ W.T @ W + beta * W @ R
        W = W * (X.T @ Y + 2 * alpha * G @ W) / below
    return W, scnmf_objective(X, Y, W, alpha, beta, gamma)


def scnmf_objective(X, Y, W, alpha, beta, gamma):
    errors = np.sum((X @ W - Y) ** 2) + alpha * np.sum((similarities(X) - W @ W.T) ** 2)
    return errors + beta * bends(W.T, 1 - cosines(Y)) + gamma * lengths(W).sum()


def pnc(X, Y, alpha, beta, gamma, rounds):
    """As the program of the authors goes, but without an end by the objective."""
    K, L = correlations(X, Y), laplacian(cosines(Y))
    W, H = np.full((X.shape[1], Y.shape[1]), 0.5), np.full((Y.shape[1], Y.shape[1]), 0.5)
    for _ in range(rounds):
        F = np.linalg.solve(2 * np.eye(Y.shape[1]) + alpha * L, (Y + X @ W).T).T
        W = np.linalg.solve(X.T @ X + beta * np.eye(len(W)) + gamma * weights(W), X.T @ F + beta * K @ H)
        H = np.linalg.lstsq(K, W)[0]
    return W, pnc_objective(X, Y, F, W, K @ H, alpha, beta, gamma)


def pnc_objective(X, Y, F, W, near, alpha, beta, gamma):
    errors = np.sum((X @ W - F) ** 2) + np.sum((Y - F) ** 2) + beta * np.sum((W - near) ** 2)
    return errors + alpha * bends(F.T, laplacian(cosines(Y))) + gamma * lengths(W).sum()


def mifs(X, Y, S, n_latent, alpha, beta, gamma, rounds):
    n = len(X)
    B, D = np.linalg.svd(Y)[2][:n_latent], np.eye(X.shape[1])
    V = Y @ B.T
    for _ in range(rounds):
        W = np.linalg.solve(X.T @ X + gamma * D, X.T @ V)
        V = np.linalg.solve((1 + alpha) * np.eye(n) + beta * laplacian(S), X @ W + alpha * Y @ B.T)
        left, _, right = np.linalg.svd(V.T @ Y, full_matrices=False)
        B = left @ right
        D = weights(W)
    return W, V, B


def mifs_objective(X, Y, S, W, V, B, alpha, beta, gamma):
    errors = np.sum((X @ W - V) ** 2) + alpha * np.sum((Y - V @ B) ** 2)
    return errors + beta * bends(V, laplacian(S)) + gamma * lengths(W).sum()


def scmfs_objective(X, Y, W, V, Q, B, alpha, beta, gamma):
    errors = np.sum((X @ W - V) ** 2) + alpha * np.sum((X - V @ Q) ** 2) + beta * np.sum((Y - V @ B) ** 2)
    return errors + gamma * lengths(W).sum()


def mrdm(X, Y, S, alpha, beta, gamma, rounds):
    """W and V together: eigenvectors of a matrix of all instances, of the smallest eigenvalues."""
    n, d = X.shape
    Z, D = centring(n) @ Y, np.eye(d)
    for _ in range(rounds):
        inverse = np.linalg.inv(X.T @ X + gamma * D)
        T = alpha * laplacian(S) - beta * Z @ Z.T + np.eye(n) - X @ inverse @ X.T
        V = np.linalg.eigh(T)[1][:, : Y.shape[1]]
        W = inverse @ X.T @ V
        D = weights(W)
    return W, V


def mrdm_objective(X, Z, L, W, V, alpha, beta, gamma):
    """With the centred labels Z."""
    dependence = np.trace(V.T @ Z @ Z.T @ V)
    return np.sum((X @ W - V) ** 2) + alpha * bends(V, L) - beta * dependence + gamma * lengths(W).sum()


def mlmlfs_objective(X, F, L, W, b, alpha, gamma):
    norms = lengths(F - X @ W - b)
    errors = np.where(norms < 0.1, norms**2 / 0.2 + 0.05, norms)
    return errors.sum() + alpha * bends(X @ W, L) + gamma * lengths(W).sum()
