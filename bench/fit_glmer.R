# Fits a mixed model to every data set of a CSV file and prints CPU seconds, version and coefficients, one per line.
# Usage: Rscript fit_glmer.R DATA.csv FORMULA [glmer | lmer | clmm]
arguments <- commandArgs(trailingOnly = TRUE)
engine <- if (length(arguments) > 2) arguments[3] else "glmer"
package <- if (engine == "clmm") "ordinal" else "lme4"
suppressPackageStartupMessages(library(package, character.only = TRUE))
data <- read.csv(arguments[1])
formula <- as.formula(arguments[2])
fit_one <- switch(engine,
  glmer = function(part) glmer(formula, part, family = binomial),
  lmer = function(part) lmer(formula, part),
  clmm = function(part) clmm(formula, transform(part, y = factor(y), person = factor(person), item = factor(item)))
)
effect <- if (engine == "clmm") function(fit) fit$beta else fixef
parts <- split(data, data$dataset)
quietly <- function(part) suppressMessages(suppressWarnings(fit_one(part)))
if (engine != "clmm") invisible(quietly(parts[[1]]))  # warm up
before <- proc.time()
fits <- lapply(parts, quietly)
spent <- proc.time() - before
cat(sprintf("%.6f\n", spent[["user.self"]] + spent[["sys.self"]]))
cat(as.character(packageVersion(package)), "\n")
for (fit in fits) cat(sprintf("%.9f", tail(effect(fit), 1)), "\n")
