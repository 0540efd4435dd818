# Reference values for mixed models, from lme4, lmerTest, ordinal, emmeans and afex, on the files make_mixed_inputs.py wrote.
# Usage: Rscript tests/reference/mixed.R   (writes tests/reference/mixed.json)
suppressPackageStartupMessages({ library(lme4); library(lmerTest); library(ordinal); library(emmeans) })
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE)))
input <- function(name) read.csv(file.path(here, "inputs", paste0("mixed_", name, ".csv")))
number <- function(v) ifelse(is.na(v), "null", sprintf("%.12g", v))
json <- function(v) { v <- as.numeric(v); paste0("[", paste(number(v), collapse = ", "), "]") }
values <- list()
put <- function(name, ...) values[[name]] <<- list(...)

# Fixed effects, and random effects of people and of items.
models <- list(
  within      = c("a", "(1 + a | person) + (1 + a | item)"),
  between     = c("a", "(1 | person) + (1 + a | item)"),
  item        = c("a", "(1 + a | person) + (1 | item)"),
  three       = c("a + b", "(1 + a + b | person) + (1 | item)"),
  interaction = c("a * group", "(1 + a | person) + (1 + group | item)"),
  covariate   = c("a + age", "(1 + a | person) + (1 + a | item)"),
  missing     = c("a", "(1 + a || person) + (1 + a || item)"),
  singular    = c("a", "(1 | person) + (1 | item)"),
  few         = c("a", "(1 + a || person) + (1 | item)"),
  wide        = c("a", "(1 | person) + (1 + a | item)"))
# bobyqa compares values of the deviance, so it cannot tell points apart that differ by the root of rounding: variances are
# then off by 1e-4 and more. Newton steps with derivatives from numDeriv end exactly where lme4's own deviance is lowest.
polished <- function(fn, par, lower, upper, control) {
  best <- minqa::bobyqa(par, fn, lower, upper, control = list(maxfun = 1e5, rhobeg = .02, rhoend = 1e-7))$par
  free <- best > lower + 1e-4  # a variance at its bound of zero stays there
  along <- function(q) { x <- best; x[free] <- q; fn(x) }
  if (any(free)) for (step in 1:8) {
    curved <- numDeriv::hessian(along, best[free])
    move <- solve(curved, numDeriv::grad(along, best[free])); best[free] <- best[free] - move
    # glmer takes its errors from rough differences of the deviance; these are exact.
    polished_errors <<- sqrt(2 * diag(solve(curved)))
    if (max(abs(move)) < 1e-8) break }
  list(par = best, value = fn(best), fval = fn(best), convergence = 0, message = "") }
# clmm stops early and takes its errors from rough differences. Its likelihood is exact once the modes are: two more Newton
# steps for them, without the line search that rounding stops. Then the same Newton steps as above end at its highest point.
polished_clmm <- function(formula, d) {
  fit <- clmm(formula, data = d)
  rho <- clmm(formula, data = d, doFit = FALSE)
  deviance <- function(par) {
    ordinal:::setPar.clmm(rho, par)
    if (!ordinal:::update.u(rho)) return(Inf)
    for (step in 1:2) {
      rho$nll <- ordinal:::nll.u(rho); rho$gradient <- ordinal:::grad.u(rho); ordinal:::hess.u(rho)
      rho$u <- rho$u - as.vector(solve(rho$L, rho$gradient)) }
    rho$nll <- ordinal:::nll.u(rho); ordinal:::grad.u(rho); ordinal:::hess.u(rho)
    rho$nll + c(determinant(rho$L)$modulus) - rho$dims$q * log(2 * pi) / 2 }
  best <- fit$optRes$par; k <- length(fit$alpha); p <- length(fit$beta)
  is_spread <- c(rep(FALSE, k + p), ordinal:::STconstraints(rho$ST) == 1)
  free <- !(is_spread & abs(best) < 1e-3); best[!free] <- 0  # a standard deviation of zero stays there
  along <- function(q) { x <- best; x[free] <- q; deviance(x) }
  deviance(best); rho$uStart <- rho$u  # modes near which all others are
  curved <- numDeriv::hessian(along, best[free])
  for (step in 1:12) {
    move <- solve(curved, numDeriv::grad(along, best[free])); best[free] <- best[free] - move
    if (max(abs(move)) < 1e-8) break }
  errors <- sqrt(diag(solve(numDeriv::hessian(along, best[free]))))
  lowest <- deviance(best)  # leaves the factors of the covariances in rho$ST
  spread <- function(group) unlist(lapply(intersect(c(group, paste0(group, "_too")), names(fit$ST)), function(term) {
    cov <- tcrossprod(as.matrix(rho$ST[[match(term, names(fit$ST))]])); cov[lower.tri(cov, diag = TRUE)] }))
  beta <- best[k + 1:p]
  list(coefficients = beta, errors = errors[k + 1:p], p = 2 * pnorm(-abs(beta / errors[k + 1:p])),
       thresholds = best[1:k], threshold_errors = errors[1:k], log_likelihood = -lowest, spread = spread) }
covariances <- function(fit, group) {  # terms of one group, independent ones side by side
  parts <- VarCorr(fit); parts <- parts[sub("\\.[0-9]+$", "", names(parts)) == group]
  parts <- parts[order(sapply(parts, function(part) rownames(part)[1]) != "(Intercept)")]
  unlist(lapply(parts, function(part) part[lower.tri(part, diag = TRUE)])) }
for (name in names(models)) {
  d <- input(name); d$rating <- factor(d$rating); d$person <- factor(d$person); d$item <- factor(d$item)
  formula <- function(outcome) as.formula(paste(outcome, "~", models[[name]][1], "+", models[[name]][2]))
  for (reml in c(TRUE, FALSE)) {
    fit <- lmerTest::lmer(formula("score"), d, REML = reml, control = lmerControl(optimizer = "polished"))
    s <- coef(summary(fit))
    put(paste0("linear_", name, if (reml) "" else "_ml"), coefficients = s[, 1], errors = s[, 2], df = s[, 3], t = s[, 4], p = s[, 5],
        log_likelihood = as.numeric(logLik(fit)), person = covariances(fit, "person"), item = covariances(fit, "item"),
        residual = sigma(fit)^2) }
  fit <- glmer(formula("yes"), d, family = binomial,
               control = glmerControl(optimizer = c("bobyqa", "polished"), tolPwrss = 1e-13))
  put(paste0("logistic_", name), coefficients = fixef(fit), errors = tail(polished_errors, length(fixef(fit))), log_likelihood = as.numeric(logLik(fit)),
      person = covariances(fit, "person"), item = covariances(fit, "item"))
  # clmm has no double bar and takes a group once: independent slopes belong to a copy of the group.
  d$person_too <- d$person; d$item_too <- d$item
  random <- gsub("\\(1 \\+ a \\|\\| (person|item)\\)", "(1 | \\1) + (0 + a | \\1_too)", models[[name]][2])
  found <- polished_clmm(as.formula(paste("rating ~", models[[name]][1], "+", random)), d)
  put(paste0("ordinal_", name), coefficients = found$coefficients, errors = found$errors, p = found$p,
      thresholds = found$thresholds, threshold_errors = found$threshold_errors, log_likelihood = found$log_likelihood,
      person = found$spread("person"), item = found$spread("item")) }

# Marginal means, pairs with a correction, and joint tests.
emm_options(lmer.df = "satterthwaite")
control <- lmerControl(optimizer = "polished")
d <- input("three"); d$level <- factor(d$level)
fit <- lmerTest::lmer(score ~ level + (1 + a + b | person) + (1 | item), d, control = control)
means <- summary(emmeans(fit, "level")); pairs <- summary(pairs(emmeans(fit, "level"), adjust = "holm"))
f <- anova(fit, type = 3)
put("means_three", means = means$emmean, errors = means$SE, estimates = pairs$estimate, pair_errors = pairs$SE,
    pair_df = pairs$df, holm = pairs$p.value, f = f[["F value"]], df = f$NumDF, error_df = f$DenDF, p = f[["Pr(>F)"]])
d <- input("interaction"); d$condition <- factor(d$level); d$team <- factor(d$group)
fit <- lmerTest::lmer(score ~ condition * team + (1 + a | person) + (1 + group | item), d,
                      contrasts = list(condition = contr.sum, team = contr.sum), control = control)
means <- summary(emmeans(fit, "condition")); pairs <- summary(pairs(emmeans(fit, "condition"))); f <- anova(fit, type = 3)
put("means_interaction", means = means$emmean, errors = means$SE, estimates = pairs$estimate, pair_df = pairs$df,
    p = pairs$p.value, f = f[["F value"]], error_df = f$DenDF, f_p = f[["Pr(>F)"]])
d$person <- factor(d$person); d$item <- factor(d$item)
fit <- afex::mixed(score ~ condition * team + (1 + a | person) + (1 + group | item), d, method = "S", progress = FALSE,
                   control = control)
put("afex_interaction", f = fit$anova_table$F, error_df = fit$anova_table[["den Df"]], p = fit$anova_table[["Pr(>F)"]])
lines <- sapply(names(values), function(name) sprintf('    "%s": {%s}', name, paste(sprintf('"%s": %s',
  names(values[[name]]), sapply(values[[name]], json)), collapse = ", ")))
versions <- sapply(c("lme4", "lmerTest", "ordinal", "emmeans", "afex"), function(p) as.character(packageVersion(p)))
writeLines(c("{", sprintf('  "made_with": "%s, %s",', R.version.string, paste(names(versions), versions, collapse = ", ")),
             '  "values": {', paste(lines, collapse = ",\n"), "  }", "}"), file.path(here, "mixed.json"))
