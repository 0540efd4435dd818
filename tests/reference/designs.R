# Reference values for factorial designs, signal detection, calibration, counts, scales, agreement and Bayes factors, from
# afex, emmeans, psych, lavaan, MASS, sandwich and BayesFactor, on files that make_inputs.py wrote.
# Usage: Rscript tests/reference/designs.R   (writes tests/reference/designs.json)
quiet <- function(...) suppressWarnings(suppressMessages(...))
quiet({ library(afex); library(emmeans); library(psych); library(lavaan); library(MASS); library(sandwich); library(BayesFactor) })
source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE))), "writing.R"))

# Factorial designs: two factors between and two within people, in unequal cells.
d <- input("factorial"); d$id <- factor(seq_len(nrow(d)))
long <- reshape(d, direction = "long", varying = list(grep("_", names(d), value = TRUE)), v.names = "y", idvar = "id", timevar = "cell",
  times = grep("_", names(d), value = TRUE))
long$phase <- sub("_.*", "", long$cell); long$level <- sub(".*_", "", long$cell)
design <- function(name, effects, type = 3, ...) quiet({
  a <- quiet(aov_ez("id", "y", type = type, ...))
  plain <- anova(a, es = c("ges", "pes"), correction = "none"); gg <- anova(a, es = "pes", correction = "GG"); hf <- anova(a, es = "pes", correction = "HF")
  for (effect in effects) put(paste0(name, ":", effect), statistic = plain[effect, "F"], df = c(plain[effect, "num Df"], plain[effect, "den Df"]),
    p_value = plain[effect, "Pr(>F)"], gg_df = c(gg[effect, "num Df"], gg[effect, "den Df"]), p_gg = gg[effect, "Pr(>F)"], p_hf = hf[effect, "Pr(>F)"],
    ges = plain[effect, "ges"], pes = plain[effect, "pes"]) })
first <- d[c("id", "task", "help", "age")]; first$y <- d$before_easy
design("between", c("task", "help", "task:help"), data = first, between = c("task", "help"))
design("between_II", c("task", "help", "task:help"), type = 2, data = first, between = c("task", "help"))
design("within", c("phase", "level", "phase:level"), data = long, within = c("phase", "level"))
all_effects <- c("task", "help", "task:help", "phase", "task:phase", "help:phase", "task:help:phase", "level", "help:level", "phase:level", "task:help:phase:level")
design("both", all_effects, data = long, between = c("task", "help"), within = c("phase", "level"))
design("both_II", c("task", "help", "help:phase", "level"), type = 2, data = long, between = c("task", "help"), within = c("phase", "level"))

# Analysis of covariance: three groups by F, and two of them by their adjusted difference.
first$centred <- first$age - mean(first$age)
f <- car::Anova(lm(y ~ help + centred, first, contrasts = list(help = contr.sum)), type = 3)
slopes <- anova(lm(y ~ help + centred, first), lm(y ~ help * centred, first))
put("ancova", statistic = f["help", "F value"], df = c(f["help", "Df"], f["Residuals", "Df"]), p_value = f["help", "Pr(>F)"], p_slopes = slopes[2, "Pr(>F)"])
two <- subset(first, help != "none"); two$centred <- two$age - mean(two$age)
fit <- lm(y ~ help + centred, two); em <- emmeans(fit, "help"); ct <- as.data.frame(summary(contrast(em, list(d = c(1, -1))), infer = TRUE))
put("ancova_two", estimate = ct$estimate, se = ct$SE, df = ct$df, t = ct$t.ratio, p_value = ct$p.value, interval = c(ct$lower.CL, ct$upper.CL),
  means = as.data.frame(em)$emmean)

# The aligned rank transform, written out: residuals of the cells plus the effect, ranked, then afex.
hp <- aggregate(y ~ id + help + phase, long, mean); lr <- hp$y - ave(hp$y, hp$help, hp$phase); gm <- mean(hp$y)
short <- function(effect, aligned) { data <- hp; data$y <- rank(round(aligned, 9)); a <- quiet(aov_ez("id", "y", data, between = "help", within = "phase", type = 3))
  t <- anova(a, correction = "none", es = "pes")
  put(paste0("art:", effect), statistic = t[effect, "F"], df = c(t[effect, "num Df"], t[effect, "den Df"]), p_value = t[effect, "Pr(>F)"], pes = t[effect, "pes"]) }
short("help", lr + ave(hp$y, hp$help) - gm); short("phase", lr + ave(hp$y, hp$phase) - gm)
short("help:phase", lr + ave(hp$y, hp$help, hp$phase) - ave(hp$y, hp$help) - ave(hp$y, hp$phase) + gm)

# Pairs after a test of several.
tk <- TukeyHSD(aov(y ~ help, first))$help
put("tukey", estimate = tk["text-map", "diff"], interval = tk["text-map", c("lwr", "upr")], p_value = tk["text-map", "p adj"])
h <- pairwise.t.test(first$y, first$help, p.adjust.method = "holm", pool.sd = FALSE)$p.value
put("holm_welch", p_value = h["text", "map"])
before <- subset(long, phase == "before"); before <- before[order(before$level, before$id), ]
h <- pairwise.t.test(before$y, before$level, p.adjust.method = "holm", paired = TRUE)$p.value
put("holm_paired", p_value = h["odd", "easy"])

# Signal detection and calibration, per person.
s <- input("detection"); s$stated <- s$confidence / 100
one <- function(p) { H <- (sum(p$yes[p$signal == 1]) + .5) / (sum(p$signal == 1) + 1); F <- (sum(p$yes[p$signal == 0]) + .5) / (sum(p$signal == 0) + 1)
  # A probit regression of corrected counts has d' as its slope.
  w <- data.frame(rate = c(H, F), signal = c(1, 0)); g <- quiet(glm(rate ~ signal, quasibinomial(probit), w, weights = c(1, 1), control = list(epsilon = 1e-14)))
  b <- cut(p$stated, seq(0, 1, .1)); ece <- sum(tapply(seq_along(b), b, function(i) length(i) * abs(mean(p$right[i]) - mean(p$stated[i]))), na.rm = TRUE) / nrow(p)
  auc <- if (length(unique(p$right)) == 2) as.numeric(wilcox.test(p$stated[p$right == 1], p$stated[p$right == 0], exact = FALSE)$statistic) / (sum(p$right == 1) * sum(p$right == 0)) else NA
  c(d = unname(coef(g)[2]), c = -(qnorm(H) + qnorm(F)) / 2, brier = mean((p$stated - p$right)^2), over = mean(p$stated) - mean(p$right), ece = ece, auc = auc) }
per <- t(sapply(split(s, s$person), one)); shown <- per[seq(1, 24, 2), ]; hidden <- per[seq(2, 24, 2), ]
compare <- function(name, column) { t <- t.test(shown[, column], hidden[, column]); put(name, persons = per[, column], estimate = -diff(t$estimate), t = t$statistic, df = t$parameter, p_value = t$p.value, interval = t$conf.int) }
compare("d_prime", "d"); compare("criterion", "c"); compare("brier", "brier"); compare("overconfidence", "over"); compare("ece", "ece"); compare("discrimination", "auc")

# Cluster-robust errors of a share, one way and two ways.
fit <- lm(right ~ I(condition == "shown"), s)
robust <- function(name, cluster) { v <- vcovCL(fit, cluster, type = "HC1"); put(name, estimate = coef(fit)[2], se = sqrt(v[2, 2])) }
robust("robust_people", ~person); robust("robust_both", ~ person + item)

# Counts and times of two groups.
e <- input("errors_and_times"); e$is_shown <- as.numeric(e$group == "shown")
glm_of <- function(name, m, s) put(name, estimate = coef(m)[2], se = s$coefficients[2, 2], p_value = s$coefficients[2, 4])
m <- glm(errors ~ is_shown, poisson, e, control = list(epsilon = 1e-14)); glm_of("poisson", m, summary(m))
m <- glm(errors ~ is_shown, quasipoisson, e, control = list(epsilon = 1e-14)); glm_of("quasi_poisson", m, summary(m))
m <- glm.nb(errors ~ is_shown, e, control = glm.control(epsilon = 1e-14, maxit = 500)); glm_of("negative_binomial", m, summary(m)); values$negative_binomial$theta <- m$theta
t <- t.test(log(e$first[e$is_shown == 1]), log(e$first[e$is_shown == 0])); put("log_welch", ratio = exp(-diff(t$estimate)), p_value = t$p.value, interval = exp(t$conf.int))
t <- t.test(log(e$second), log(e$first), paired = TRUE); put("log_paired", ratio = exp(t$estimate), p_value = t$p.value, interval = exp(t$conf.int))
w <- function(...) quiet(wilcox.test(..., exact = FALSE))$p.value
a <- e$first[e$is_shown == 1]; b <- e$first[e$is_shown == 0]
put("rank_tost", p_low = w(a, b, mu = -2, alternative = "greater"), p_high = w(a, b, mu = 3, alternative = "less"))
put("rank_tost_paired", p_low = w(e$second, e$first, mu = -1, alternative = "greater", paired = TRUE), p_high = w(e$second, e$first, mu = 1, alternative = "less", paired = TRUE))

# Scales and raters.
q <- input("scale"); model <- paste("f =~", paste(names(q), collapse = " + "))
fit <- cfa(model, q, std.lv = TRUE); p <- parameterEstimates(fit)
l <- p$est[p$op == "=~"]; u <- p$est[p$op == "~~" & p$lhs == p$rhs & p$lhs != "f"]
put("omega", estimate = sum(l)^2 / (sum(l)^2 + sum(u)))
r <- input("raters"); icc <- quiet(ICC(r[1:5], lmer = FALSE))$results
for (k in 1:6) put(paste0("icc_", icc$type[k]), estimate = icc$ICC[k], interval = c(icc[k, "lower bound"], icc[k, "upper bound"]), statistic = icc$F[k], p_value = icc$p[k])
# Krippendorff's alpha as the ratio of mean squared distances: of pairs within things to pairs of all ratings.
g <- as.matrix(r[1:5]); g[as.matrix(r[6:10]) == 1] <- NA
kripp <- function(distance) { rows <- g[rowSums(!is.na(g)) > 1, ]; all <- rows[!is.na(rows)]; n <- length(all)
  within <- sum(apply(rows, 1, function(v) { v <- v[!is.na(v)]; sum(outer(v, v, distance)) / (length(v) - 1) })) / n
  1 - within / (sum(outer(all, all, distance)) / (n * (n - 1))) }
counts <- table(g[rowSums(!is.na(g)) > 1, ]); middle <- cumsum(counts) - counts / 2
put("krippendorff", nominal = kripp(function(a, b) a != b), interval = kripp(function(a, b) (a - b)^2),
  ordinal = kripp(function(a, b) (middle[as.character(a)] - middle[as.character(b)])^2))

# Default Bayes factors. correlationBF has no directed one that agrees with its own undirected one, so it is left out.
bf <- function(object) exp(object@bayesFactor$bf)
p <- input("pairs"); t <- t.test(p$x); n <- nrow(p)
put("bayes_t", one = bf(ttestBF(p$x)), one_greater = bf(ttestBF(p$x, nullInterval = c(0, Inf)))[1], paired = bf(ttestBF(p$x, p$y, paired = TRUE)),
  two = bf(ttestBF(a, b)), two_less = bf(ttestBF(a, b, nullInterval = c(-Inf, 0)))[1], wide = bf(ttestBF(a, b, rscale = 1)))
put("bayes_proportion", half = bf(proportionBF(sum(s$right[1:30]), 30, p = .5)), greater = bf(proportionBF(sum(s$right[1:30]), 30, p = .5, nullInterval = c(.5, 1)))[1],
  fifth = bf(proportionBF(9, 25, p = .2)))
put("bayes_correlation", medium = bf(correlationBF(p$x, p$y)), wide = bf(correlationBF(q$q1, q$q4, rscale = 1)))

write_values("designs.json", c("afex", "emmeans", "psych", "lavaan", "MASS", "sandwich", "BayesFactor"))
