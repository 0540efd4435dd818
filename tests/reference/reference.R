# Reference values for the kernels, from base R and lme4, on the files make_inputs.py wrote.
# Usage: Rscript tests/reference/reference.R   (writes tests/reference/values.json)
suppressMessages(library(lme4))
source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE))), "writing.R"))
root <- function(f, low, high) uniroot(f, c(low, high), tol = 1e-13, maxiter = 10000)$root

# Noncentral limits by root search on pt and pf.
nct <- function(t, df, level = .95) { a <- (1 - level) / 2
  c(root(function(l) pt(t, df, l) - (1 - a), t - 12, t + 1e-9), root(function(l) pt(t, df, l) - a, t - 1e-9, t + 12)) }
ncf <- function(f, d1, d2, level = .95) { a <- (1 - level) / 2
  one <- function(p) if (pf(f, d1, d2) <= p) 0 else root(function(l) pf(f, d1, d2, l) - p, 0, 400)
  l <- c(one(1 - a), one(a)); l / (l + d1 + d2 + 1) }
J <- function(df) gamma(df / 2) / (sqrt(df / 2) * gamma((df - 1) / 2))

d <- input("pairs"); x <- d$x; y <- d$y; y12 <- y[1:12]
put("describe", mean = mean(x), sd = sd(x), interval = t.test(x)$conf.int, quartiles = quantile(x, c(.25, .5, .75)),
    wilson = suppressWarnings(prop.test(8, 10, correct = FALSE)$conf.int), wilson_zero = suppressWarnings(prop.test(0, 9, correct = FALSE)$conf.int))

# t tests
one <- function(name, t, d, limits, df, extra = list()) {
  values[[name]] <<- c(list(statistic = t$statistic, df = t$parameter, p_value = t$p.value, interval = t$conf.int,
                            d = d, d_interval = limits, g = d * J(df)), extra) }
n <- length(x); t <- t.test(x, mu = .2); one("t_one_sample", t, (mean(x) - .2) / sd(x), nct(t$statistic, n - 1) / sqrt(n), n - 1)
t <- t.test(x, y, paired = TRUE); z <- mean(x - y) / sd(x - y); l <- nct(t$statistic, n - 1) / sqrt(n); av <- (sd(x) + sd(y)) / 2
one("t_paired", t, z, l, n - 1, list(d_average = mean(x - y) / av, d_average_interval = l * sd(x - y) / av))
m <- 12; t <- t.test(x, y12, var.equal = TRUE); sp <- sqrt((16 * var(x) + 11 * var(y12)) / 27); s <- sqrt(1 / 17 + 1 / 12)
one("t_independent", t, (mean(x) - mean(y12)) / sp, nct(t$statistic, 27) * s, 27)
t <- t.test(x, y12); v <- var(x); w <- var(y12); sa <- sqrt((v + w) / 2); dfd <- (v + w)^2 / (v^2 / 16 + w^2 / 11)
one("t_welch", t, (mean(x) - mean(y12)) / sa, nct(t$statistic, dfd) * sqrt(v / 17 + w / 12) / sa, dfd)
for (a in c("greater", "less")) put(paste0("t_sided_", a), one_sample = t.test(x, mu = .2, alternative = a)$p.value,
  paired = t.test(x, y, paired = TRUE, alternative = a)$p.value, welch = t.test(x, y12, alternative = a)$p.value,
  independent = t.test(x, y12, var.equal = TRUE, alternative = a)$p.value)
b <- .8
put("tost", paired_low = t.test(x, y, paired = TRUE, mu = -b, alternative = "greater")$p.value,
    paired_high = t.test(x, y, paired = TRUE, mu = b, alternative = "less")$p.value,
    paired_interval = t.test(x, y, paired = TRUE, conf.level = .9)$conf.int,
    one_sample = max(t.test(x, mu = -b, alternative = "greater")$p.value, t.test(x, mu = b, alternative = "less")$p.value),
    welch = max(t.test(x, y12, mu = -b, alternative = "greater")$p.value, t.test(x, y12, mu = b, alternative = "less")$p.value),
    welch_interval = t.test(x, y12, conf.level = .9)$conf.int,
    pooled_d = max(t.test(x, y12, mu = -.9 * sp, alternative = "greater", var.equal = TRUE)$p.value,
                   t.test(x, y12, mu = .9 * sp, alternative = "less", var.equal = TRUE)$p.value))
put("power", two = power.t.test(n = 20, delta = .6, strict = TRUE)$power,
    two_greater = power.t.test(n = 20, delta = .6, alternative = "one.sided")$power,
    one = power.t.test(n = 20, delta = .6, type = "one.sample", strict = TRUE)$power,
    small = power.t.test(n = 12, delta = .1, type = "paired", strict = TRUE)$power)

# One way
G <- input("groups"); G$group <- factor(G$group)
s <- anova(lm(score ~ group, G)); ss <- s[["Sum Sq"]]; f <- s[1, 4]; ms <- s[2, 3]
put("one_way", statistic = f, df_between = s[1, 1], df_within = s[2, 1], p_value = s[1, 5], eta_squared = ss[1] / sum(ss),
    eta_squared_interval = ncf(f, s[1, 1], s[2, 1]), omega_squared = (ss[1] - s[1, 1] * ms) / (sum(ss) + ms))
t <- oneway.test(score ~ group, G); f <- t$statistic; p1 <- t$parameter[1]; p2 <- t$parameter[2]
put("welch_anova", statistic = f, df_between = p1, df_within = p2, p_value = t$p.value, eta_squared = p1 * f / (p1 * f + p2),
    eta_squared_interval = ncf(f, p1, p2), omega_squared = p1 * (f - 1) / (p1 * (f - 1) + nrow(G)))
k <- kruskal.test(score ~ group, G)
s <- anova(lm(rank(score) ~ group, G))
put("kruskal", statistic = k$statistic, df = k$parameter, p_value = k$p.value, epsilon_squared = s[1, 2] / sum(s[["Sum Sq"]]),
    epsilon_squared_interval = ncf(s[1, 4], 2, nrow(G) - 3))
t <- shapiro.test(G$score[G$group == "base"]); u <- shapiro.test(x)
put("shapiro", ties_w = t$statistic, ties_p = t$p.value, w = u$statistic, p = u$p.value)
lev <- function(f) { z <- abs(G$score - ave(G$score, G$group, FUN = f)); s <- anova(lm(z ~ G$group)); c(s[1, 4], s[1, 5]) }
put("levene", mean = lev(mean), median = lev(median))

# Ranks
a <- G$score[G$group == "invertible"]; b <- G$score[G$group == "base"]
w <- function(...) wilcox.test(a, b, exact = FALSE, ...)
z0 <- qnorm(w(correct = FALSE)$p.value / 2, lower.tail = FALSE)
put("rank_sum_ties", u = w()$statistic, p = w()$p.value, p_plain = w(correct = FALSE)$p.value,
    greater = w(alternative = "greater")$p.value, less = w(alternative = "less")$p.value,
    less_plain = w(alternative = "less", correct = FALSE)$p.value, r = z0 / sqrt(length(a) + length(b)))
e <- wilcox.test(x, y12, exact = TRUE, conf.int = TRUE)
c0 <- wilcox.test(x, y12, exact = FALSE, correct = FALSE, conf.int = TRUE, tol.root = 1e-12)
c1 <- wilcox.test(x, y12, exact = FALSE, correct = TRUE, conf.int = TRUE, tol.root = 1e-12)
put("rank_sum", u = e$statistic, p = e$p.value, greater = wilcox.test(x, y12, exact = TRUE, alternative = "greater")$p.value,
    less = wilcox.test(x, y12, exact = TRUE, alternative = "less")$p.value, shift = e$estimate, interval = e$conf.int,
    interval_90 = wilcox.test(x, y12, exact = TRUE, conf.int = TRUE, conf.level = .9)$conf.int,
    normal_interval = c1$conf.int, normal_interval_plain = c0$conf.int)
o <- input("ordinal_pairs")
w <- function(...) wilcox.test(o$after, o$before, paired = TRUE, exact = FALSE, ...)
put("signed_rank_ties", v = w()$statistic, p = w()$p.value, p_plain = w(correct = FALSE)$p.value,
    greater = w(alternative = "greater")$p.value, less = w(alternative = "less")$p.value,
    z = qnorm(w(correct = FALSE)$p.value / 2, lower.tail = FALSE))
e <- wilcox.test(x, y, paired = TRUE, exact = TRUE, conf.int = TRUE)
c1 <- wilcox.test(x, y, paired = TRUE, exact = FALSE, conf.int = TRUE, tol.root = 1e-12)
put("signed_rank", v = e$statistic, p = e$p.value, greater = wilcox.test(x, y, paired = TRUE, alternative = "greater")$p.value,
    shift = e$estimate, interval = e$conf.int, normal_interval = c1$conf.int)
# Pratt by its definition: rank with zeros, drop them, normal with the moments of the remaining ranks.
dif <- o$after - o$before; r <- rank(abs(dif))[dif != 0]; sg <- dif[dif != 0] > 0; v <- sum(r[sg]); z <- v - sum(r) / 2
put("signed_rank_pratt", v = v, p_plain = 2 * pnorm(-abs(z) / sqrt(sum(r^2) / 4)),
    p = 2 * pnorm(-abs(z - sign(z) * .5) / sqrt(sum(r^2) / 4)))

# McNemar
odds <- function(p) p / (1 - p)
b <- binom.test(22, 26)
put("mcnemar", p = b$p.value, greater = binom.test(22, 26, alternative = "greater")$p.value,
    less = binom.test(22, 26, alternative = "less")$p.value, interval = odds(b$conf.int),
    zero = odds(binom.test(5, 5)$conf.int)[1], zero_p = binom.test(5, 5)$p.value)
tab <- matrix(c(15, 22, 4, 2), 2, byrow = TRUE); N <- sum(tab); p1 <- sum(tab[1, ]) / N; p2 <- sum(tab[, 1]) / N
wi <- function(k) prop.test(k, N, correct = FALSE)$conf.int
l1 <- wi(sum(tab[1, ])); l2 <- wi(sum(tab[, 1])); phi <- (15 * 2 - 22 * 4) / sqrt(37 * 6 * 19 * 24); D <- p1 - p2
lo <- D - sqrt((p1 - l1[1])^2 - 2 * phi * (p1 - l1[1]) * (l2[2] - p2) + (l2[2] - p2)^2)
hi <- D + sqrt((p2 - l2[1])^2 - 2 * phi * (p2 - l2[1]) * (l1[2] - p1) + (l1[2] - p1)^2)
put("paired_proportions", difference = D, newcombe = c(lo, hi), wald = D + c(-1, 1) * qnorm(.975) * sqrt(26 / N - D^2) / sqrt(N))

# Association
for (a in c("two.sided", "greater", "less")) { t <- cor.test(x, y, alternative = a); s <- cor.test(x, y, method = "spearman", exact = FALSE, alternative = a)
  o1 <- suppressWarnings(cor.test(o$before, o$after, method = "spearman", exact = FALSE, alternative = a))
  put(paste0("correlation_", a), pearson = t$estimate, pearson_p = t$p.value, spearman = s$estimate, spearman_p = s$p.value,
      ties = o1$estimate, ties_p = o1$p.value) }
rs <- cor(rank(x), rank(y))
put("correlation_interval", pearson = cor.test(x, y)$conf.int, spearman = tanh(atanh(rs) + c(-1, 1) * qnorm(.975) * sqrt((1 + rs^2 / 2) / (n - 3))))
R <- input("ratings"); tab <- table(factor(R$first, 1:5), factor(R$second, 1:5))
kap <- function(w) { P <- tab / sum(tab); r <- rowSums(P); q <- colSums(P); po <- sum(w * P); E <- outer(r, q); pe <- sum(w * E)
  k <- (po - pe) / (1 - pe); W <- outer(as.vector(w %*% q), as.vector(t(w) %*% r), "+")
  v <- (sum(P * (w - W * (1 - k))^2) - (k - pe * (1 - k))^2) / ((1 - pe)^2 * sum(tab))
  v0 <- (sum(E * (w - W)^2) - pe^2) / ((1 - pe)^2 * sum(tab)); c(k, sqrt(v), sqrt(v0)) }
put("kappa", unweighted = kap(diag(5)), linear = kap(1 - abs(outer(1:5, 1:5, "-")) / 4), quadratic = kap(1 - outer(1:5, 1:5, "-")^2 / 16))
C <- input("crossed"); for (v in c("person", "item", "condition")) C[[v]] <- factor(C[[v]])
g <- glm(yes ~ condition, binomial, C, control = list(epsilon = 1e-14, maxit = 100)); s <- summary(g)$coefficients
put("logistic", coefficients = s[, 1], standard_errors = s[, 2], z = s[, 3], p = s[, 4], log_likelihood = logLik(g),
    odds_ratio_interval = exp(confint.default(g)[2, ]))
ps <- c(.001, .012, .02, .04, .3, .0004, .06, .5)
put("adjust", holm = p.adjust(ps, "holm"), bonferroni = p.adjust(ps, "bonferroni"), holm_12 = p.adjust(ps, "holm", n = 12))

# Repeated measures. mauchly.test is asked on the contrasts themselves: R 4.2 has 3*p for 3*pp in its
# second-order term when it transforms (p columns, pp contrasts), which only this way are equal.
Y <- as.matrix(input("repeated")); k <- ncol(Y); long <- data.frame(y = as.vector(Y), id = factor(rep(seq_len(nrow(Y)), k)), w = factor(rep(1:k, each = nrow(Y))))
s <- summary(aov(y ~ w + Error(id / w), long)); e <- s[["Error: id:w"]][[1]]; i <- s[["Error: id"]][[1]]
orth <- function(k) { h <- contr.helmert(k); h / rep(sqrt(colSums(h^2)), each = k) }
sph <- function(fit, null) anova(fit, null, X = ~1, test = "Spherical")
m1 <- lm(Y ~ 1); m0 <- lm(Y ~ 0); a <- sph(m1, m0); mt <- mauchly.test(lm(Y %*% orth(k) ~ 1))
put("repeated", statistic = e[1, 4], df = e[1, 1], error_df = e[2, 1], p_value = e[1, 5], p_greenhouse_geisser = a[2, "G-G Pr"],
    p_huynh_feldt = a[2, "H-F Pr"], partial_eta_squared = e[1, 2] / sum(e[, 2]), generalized_eta_squared = e[1, 2] / (sum(e[, 2]) + i[1, 2]),
    partial_eta_squared_interval = ncf(e[1, 4], e[1, 1], e[2, 1]))
epsilons <- function(fit) { s <- stats:::sphericity(SSD(fit), X = ~1, idata = data.frame(index = seq_len(ncol(fit$coefficients)))); c(s$GG.eps, s$HF.eps) }
put("repeated_sphericity", mauchly_w = mt$statistic, mauchly_p = mt$p.value, greenhouse_geisser = epsilons(m1)[1], huynh_feldt = epsilons(m1)[2])

# Split plot. aov gives type I; type III of the within effect is the test of the intercept of lm(contrasts ~ group)
# under sum contrasts (what car::Anova(type = 3) does), summed over orthonormal contrasts.
split <- function(name) {
  d <- input(name); Y <- as.matrix(d[, -1]); k <- ncol(Y); g <- factor(d$group); contrasts(g) <- contr.sum(nlevels(g))
  long <- data.frame(y = as.vector(Y), id = factor(rep(seq_len(nrow(Y)), k)), g = rep(g, k), w = factor(rep(1:k, each = nrow(Y))))
  s <- summary(aov(y ~ g * w + Error(id / w), long)); b <- s[["Error: id"]][[1]]; e <- s[["Error: id:w"]][[1]]
  Dm <- Y %*% orth(k); full <- lm(Dm ~ g); X <- model.matrix(full); null <- lm.fit(X[, -1, drop = FALSE], Dm)
  ssw <- sum(null$residuals^2) - sum(full$residuals^2); mse <- e[3, 3]; dfe <- e[3, 1]; ep <- epsilons(lm(Y ~ g)); mt <- mauchly.test(full)
  f3 <- ssw / (k - 1) / mse; fi <- e[2, 4]
  cor_p <- function(f, df, eps) pf(f, df * min(eps, 1), dfe * min(eps, 1), lower.tail = FALSE)
  total <- b[2, 2] + e[3, 2]
  put(name, between = c(b[1, 4], b[1, 5]), within_I = c(e[1, 4], e[1, 5]), interaction = c(fi, e[2, 5]), within_III = c(f3, cor_p(f3, k - 1, 1)),
      df = c(b[1, 1], b[2, 1], e[1, 1], e[2, 1], dfe), epsilons = ep, mauchly = c(mt$statistic, mt$p.value),
      within_III_corrected = c(cor_p(f3, k - 1, ep[1]), cor_p(f3, k - 1, ep[2])),
      interaction_corrected = c(cor_p(fi, e[2, 1], ep[1]), cor_p(fi, e[2, 1], ep[2])),
      partial_eta_squared = c(b[1, 2] / sum(b[, 2]), ssw / (ssw + e[3, 2]), e[2, 2] / (e[2, 2] + e[3, 2])),
      generalized_eta_squared = c(b[1, 2] / (b[1, 2] + total), ssw / (ssw + total), e[2, 2] / (e[2, 2] + total)))
  h <- anova(lm(Y ~ g), lm(Y ~ 1), X = ~1, test = "Spherical")
  put(paste0(name, "_mlm"), interaction = c(h[2, "F"], h[2, "G-G Pr"], h[2, "H-F Pr"]))
}
split("split_equal"); split("split_unequal")

# Mixed models
vc <- function(fit, names) { v <- as.data.frame(VarCorr(fit)); v$vcov[match(names, v$grp)] }
both <- c("person", "item")
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e5))
linear <- function(name, formula, data, groups, reml = TRUE) { f <- suppressMessages(lmer(formula, data, REML = reml, control = tight))
  put(name, coefficients = fixef(f), standard_errors = sqrt(diag(as.matrix(vcov(f)))), variances = vc(f, groups),
      residual_variance = sigma(f)^2, log_likelihood = logLik(f)) }
linear("lmm_crossed", score ~ condition + (1 | person) + (1 | item), C, both)
linear("lmm_ml", score ~ condition + (1 | person) + (1 | item), C, both, FALSE)
linear("lmm_person", score ~ condition + (1 | person), C, "person")
linear("lmm_boundary", flat ~ condition + (1 | person) + (1 | item), C, both)
gtight <- glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9, maxfun = 1e5), tolPwrss = 1e-12)
logistic <- function(name, formula, data, groups) { f <- suppressMessages(glmer(formula, data, binomial, control = gtight))
  put(name, coefficients = fixef(f), standard_errors = sqrt(diag(as.matrix(vcov(f, use.hessian = TRUE)))), variances = vc(f, groups),
      log_likelihood = logLik(f), person_modes = if ("person" %in% groups) ranef(f)$person[, 1] else 0) }
logistic("glmm_crossed", yes ~ condition + (1 | person) + (1 | item), C, both)
logistic("glmm_person", yes ~ 1 + (1 | person), C, "person")
logistic("glmm_boundary", coin ~ condition + (1 | person) + (1 | item), C, both)
K <- input("counts"); K$group <- factor(K$group)
batch <- lapply(split.data.frame(K, K$data), function(d) { f <- suppressMessages(glmer(cbind(k, trials - k) ~ cell + (1 | group), d, binomial, control = gtight))
  c(fixef(f), sqrt(diag(as.matrix(vcov(f, use.hessian = TRUE)))), vc(f, "group"), logLik(f) - sum(lchoose(d$trials, d$k))) })
batch <- do.call(rbind, batch)
put("glmm_batch", intercept = batch[, 1], effect = batch[, 2], intercept_error = batch[, 3], effect_error = batch[, 4],
    variance = batch[, 5], log_likelihood = batch[, 6])

write_values("values.json", "lme4")
