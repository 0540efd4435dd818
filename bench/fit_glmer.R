# Fits glmer to every data set of a CSV file and prints CPU seconds, version and coefficients, one per line.
# Usage: Rscript fit_glmer.R DATA.csv FORMULA
suppressPackageStartupMessages(library(lme4))
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1])
formula <- as.formula(arguments[2])
parts <- split(data, data$dataset)
invisible(suppressMessages(glmer(formula, parts[[1]], family = binomial)))  # warm up
before <- proc.time()
fits <- lapply(parts, function(part) suppressMessages(suppressWarnings(glmer(formula, part, family = binomial))))
spent <- proc.time() - before
cat(sprintf("%.6f\n", spent[["user.self"]] + spent[["sys.self"]]))
cat(as.character(packageVersion("lme4")), "\n")
for (fit in fits) cat(sprintf("%.9f", tail(fixef(fit), 1)), "\n")
