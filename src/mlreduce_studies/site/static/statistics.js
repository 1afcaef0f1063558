// Statistics of comparisons: ranks, Friedman's and Nemenyi's tests, the Bayesian correlated t-test and signed-rank test.
// The same as mlreduce.stats, on the cases of tests/stats/cases.json; what it refuses is a RangeError here.
"use strict";
globalThis.mlreduceStatistics = (() => {
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const mean = (values) => sum(values) / values.length;
  const refuse = (sentence) => { throw new RangeError(sentence); };

  // Logarithm of the gamma function for x > 0, by Lanczos's approximation.
  const LANCZOS = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
  function logGamma(x) {
    if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
    const t = x + 6.5;
    const series = LANCZOS.reduce((total, c, i) => total + (i ? c / (x - 1 + i) : c), 0);
    return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
  }

  // Regularised incomplete beta function, by its continued fraction (Lentz's method).
  function betaIncomplete(a, b, x) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    if (x > (a + 1) / (a + b + 2)) return 1 - betaIncomplete(b, a, 1 - x);
    const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
    const tiny = 1e-300;
    let f = 1, c = 1, d = 0;
    for (let i = 0; i < 1000; i++) {
      const m = Math.floor(i / 2);
      const numerator = i === 0 ? 1 : i % 2 === 0 ? (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)) : -((a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 + numerator * d;
      d = 1 / (Math.abs(d) < tiny ? tiny : d);
      c = 1 + numerator / c;
      c = Math.abs(c) < tiny ? tiny : c;
      f *= c * d;
      if (Math.abs(1 - c * d) < 1e-16) break;
    }
    return front * (f - 1);
  }

  // Upper regularised incomplete gamma function: by its series below a + 1, by its continued fraction above.
  function gammaUpper(a, x) {
    if (x <= 0) return 1;
    const front = Math.exp(a * Math.log(x) - x - logGamma(a));
    if (x < a + 1) {
      let term = 1 / a, total = term;
      for (let n = 1; n < 2000 && term > total * 1e-17; n++) total += term *= x / (a + n);
      return 1 - front * total;
    }
    let b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (let i = 1; i < 2000; i++) {
      const an = -i * (i - a);
      b += 2;
      d = 1 / (an * d + b);
      c = b + an / c;
      h *= c * d;
      if (Math.abs(c * d - 1) < 1e-16) break;
    }
    return front * h;
  }

  const normalBelow = (x) => (x < 0 ? 0.5 * gammaUpper(0.5, x * x / 2) : 1 - 0.5 * gammaUpper(0.5, x * x / 2));

  // Student's t distribution: probability below t.
  function studentBelow(degrees, t) {
    if (t === Infinity) return 1;
    if (t === -Infinity) return 0;
    // The tail of small |t| by the complement, which keeps its digits.
    const tail = t * t < degrees ? 0.5 * (1 - betaIncomplete(0.5, degrees / 2, t * t / (degrees + t * t))) : 0.5 * betaIncomplete(degrees / 2, 0.5, degrees / (degrees + t * t));
    return t > 0 ? 1 - tail : tail;
  }

  function root(f, low, high) {
    for (let i = 0; i < 200 && high - low > 1e-15 * Math.max(1, Math.abs(low)); i++) {
      const middle = (low + high) / 2;
      if (f(middle) < 0) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  function studentQuantile(degrees, probability) {
    let high = 2;
    while (studentBelow(degrees, high) < probability) high *= 2;
    return root((t) => studentBelow(degrees, t) - probability, 0, high);
  }

  // Posterior of a mean difference from paired differences over overlapping splits (Corani and Benavoli 2015).
  function posterior(differences, testShare) {
    const n = differences.length, m = mean(differences);
    if (n < 2 || !differences.every(Number.isFinite)) refuse("a posterior needs two or more finite differences");
    if (!(testShare > 0 && testShare < 1)) refuse("the share of rows in a test part must be in (0, 1)");
    const spread = Math.sqrt(sum(differences.map((d) => (d - m) ** 2)) / (n - 1));
    const negligible = 1e-12 * Math.max(0, ...differences.map(Math.abs));
    const scale = spread > negligible ? Math.sqrt(1 / n + testShare / (1 - testShare)) * spread : 0;
    const degrees = n - 1;
    function within(low, high) {
      if (!scale) return low <= m && m <= high ? 1 : 0;
      return studentBelow(degrees, (high - m) / scale) - studentBelow(degrees, (low - m) / scale);
    }
    return {
      mean: m, scale, degrees, within,
      // Probabilities below minus the margin, within it and above it; a mean that is certain can stand on the margin.
      regions(margin) {
        const inside = within(-margin, margin), above = scale ? within(margin, Infinity) : Number(m > margin);
        return {below: Math.max(0, 1 - above - inside), within: inside, above};
      },
      interval(probability = 0.95) {
        const half = scale * studentQuantile(degrees, (1 + probability) / 2);
        return [m - half, m + half];
      },
    };
  }

  // Ranks of values, the best first; ties share the mean of their ranks. Values are rounded to 12 decimals first.
  function ranks(values, higherIsBetter) {
    if (!values.every(Number.isFinite)) refuse("ranks need a value of every method on every data set");
    const sign = higherIsBetter ? -1 : 1, rounded = values.map((value) => sign * Number(value.toFixed(12)));
    return rounded.map((own) => (rounded.filter((other) => other < own).length + rounded.filter((other) => other <= own).length + 1) / 2);
  }

  // Methods ranked over data sets, each a list of settings, and a setting the values of the methods, NaN where one failed:
  // how likely each is within the margin of the best, its average rank, and in which share no other is better.
  function ranking(sets, higherIsBetter, margin) {
    const sign = higherIsBetter ? 1 : -1, round = (value) => Number(value.toFixed(12));
    const ofSetting = (values) => {
      const signed = values.map((value) => (Number.isFinite(value) ? sign * round(value) : -Infinity));
      const best = Math.max(...signed), places = signed.map((own) => (signed.filter((other) => other > own).length + signed.filter((other) => other >= own).length + 1) / 2);
      const behind = signed.map((own) => (own === -Infinity ? Infinity : round(best - own)));
      return values.map((_, j) => [behind[j] <= margin ? 1 : 0, places[j], behind[j] === 0 ? 1 : 0]);
    };
    const average = (parts) => parts[0].map((own, j) => own.map((_, i) => mean(parts.map((part) => part[j][i]))));
    const bySet = sets.map((settings) => average(settings.map(ofSetting)));
    return {methods: average(bySet).map((own) => own.map(round)).map(([near, rank, won]) => ({near, rank, won})), ranks: bySet.map((own) => own.map(([, rank]) => rank))};
  }

  // Friedman's test on values or ranks, a row per data set, corrected for ties: statistic and p-value.
  function friedman(table) {
    const n = table.length, k = table[0].length;
    if (n < 2 || k < 3) return {statistic: NaN, p: NaN};
    const rows = table.map((row) => ranks(row, false));
    const sums = rows[0].map((_, j) => sum(rows.map((row) => row[j])));
    let ties = 0;
    for (const row of rows) {
      const counts = new Map();
      for (const rank of row) counts.set(rank, (counts.get(rank) ?? 0) + 1);
      for (const t of counts.values()) ties += t ** 3 - t;
    }
    const correction = 1 - ties / (n * k * (k * k - 1));
    if (correction <= 1e-12) return {statistic: 0, p: 1};
    const statistic = (12 / (n * k * (k + 1)) * sum(sums.map((s) => s * s)) - 3 * n * (k + 1)) / correction;
    return {statistic, p: gammaUpper((k - 1) / 2, statistic / 2)};
  }

  // Studentised range of k normal variables: probability below q, by the trapezoidal rule, which is exact to rounding here.
  function rangeBelow(k, q) {
    const step = 1 / 64;
    let total = 0;
    for (let z = -9; z <= 9 + q; z += step) total += Math.exp(-z * z / 2) * (normalBelow(z) - normalBelow(z - q)) ** (k - 1);
    return k * total * step / Math.sqrt(2 * Math.PI);
  }

  // Nemenyi's critical difference of average ranks of k methods on n data sets at the 5 % level.
  const quantiles = new Map();
  function criticalDifference(k, n) {
    if (k < 2 || n < 2) return NaN;
    if (!quantiles.has(k)) quantiles.set(k, root((q) => rangeBelow(k, q) - 0.95, 1, 9) / Math.SQRT2);
    return quantiles.get(k) * Math.sqrt(k * (k + 1) / (6 * n));
  }

  // Numbers in (0, 1) from a seed, the same on every machine (mulberry32).
  function generator(seed) {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
    };
  }

  // Bayesian signed-rank test of mean differences of data sets (Benavoli et al. 2017): shares of draws of weights in
  // which the difference is mostly below minus the margin, within it, above it. The prior has a half at 0.
  function signedRank(differences, margin, samples = 20000) {
    if (!differences.length || !differences.every(Number.isFinite) || !(margin >= 0)) refuse("a signed-rank test needs finite differences and a margin of at least 0");
    const points = [0, ...differences], n = points.length;
    const order = points.map((_, i) => i).sort((i, j) => points[i] - points[j]);
    const sorted = order.map((i) => points[i]);
    const few = sorted.map((z) => sorted.filter((other) => other < -2 * margin - z).length);
    const many = sorted.map((z) => sorted.filter((other) => other <= 2 * margin - z).length);
    const next = generator(1);
    const won = [0, 0, 0];
    const weights = new Float64Array(n), upTo = new Float64Array(n + 1);
    for (let draw = 0; draw < samples; draw++) {
      let total = 0;
      for (let i = 0; i < n; i++) {
        // Gamma variables of shape 1, and of shape 1/2 for the prior: half the square of a normal one.
        const exponential = -Math.log(next());
        weights[i] = order[i] ? exponential : exponential * Math.cos(2 * Math.PI * next()) ** 2;
        total += weights[i];
      }
      for (let i = 0; i < n; i++) upTo[i + 1] = upTo[i] + (weights[i] /= total);
      let below = 0, above = 0;
      for (let i = 0; i < n; i++) {
        below += weights[i] * upTo[few[i]];
        above += weights[i] * (upTo[n] - upTo[many[i]]);
      }
      const shares = [below, 1 - below - above, above];
      const most = Math.max(...shares) - 1e-12;
      const first = shares.filter((share) => share >= most).length;
      shares.forEach((share, i) => { if (share >= most) won[i] += 1 / first; });
    }
    return {below: won[0] / samples, within: won[1] / samples, above: won[2] / samples};
  }

  return {mean, logGamma, betaIncomplete, gammaUpper, normalBelow, studentBelow, studentQuantile, posterior, ranks, ranking, friedman, criticalDifference, signedRank};
})();
