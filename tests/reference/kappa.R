# Reference values of agreement between two annotators who code 60 texts as include, unsure or exclude.
# Cohen's kappa and Krippendorff's alpha by their formulas, and by the package irr where it is installed.
# Run it in the folder of this file: Rscript kappa.R > kappa.json

states <- 7
draw <- function() { states <<- (states * 16807) %% 2147483647; states / 2147483647 }
codes <- c("include", "unsure", "exclude")
first <- character(60)
second <- character(60)
for (i in 1:60) {
  right <- if (draw() < 0.7) 1 else if (draw() < 0.4) 2 else 3
  first[i] <- codes[if (draw() < 0.12) 1 + (right %% 3) else right]
  second[i] <- codes[if (draw() < 0.18) 1 + ((right + 1) %% 3) else right]
}

kappa <- function(x, y, levels) {
  counts <- table(factor(x, levels), factor(y, levels))
  n <- sum(counts)
  observed <- sum(diag(counts)) / n
  chance <- sum(rowSums(counts) * colSums(counts)) / n^2
  (observed - chance) / (1 - chance)
}

alpha <- function(x, y, levels) {
  o <- table(factor(c(x, y), levels), factor(c(y, x), levels))
  n <- sum(o)
  totals <- rowSums(o)
  expected <- (outer(totals, totals) - diag(totals)) / (n - 1)
  1 - sum(o[row(o) != col(o)]) / sum(expected[row(o) != col(o)])
}

binary <- function(x) ifelse(x == "include", "include", "leave_out")
values <- list(
  kappa = kappa(first, second, codes),
  kappa_decision = kappa(binary(first), binary(second), c("include", "leave_out")),
  alpha = alpha(first, second, codes),
  alpha_decision = alpha(binary(first), binary(second), c("include", "leave_out"))
)
if (requireNamespace("irr", quietly = TRUE)) {
  pair <- cbind(first, second)
  stopifnot(abs(irr::kappa2(pair)$value - values$kappa) < 1e-12)
  stopifnot(abs(irr::kripp.alpha(t(matrix(match(pair, codes), ncol = 2)), "nominal")$value - values$alpha) < 1e-12)
}
quoted <- function(x) paste0("[", paste0('"', x, '"', collapse = ", "), "]")
cat("{\n")
cat(sprintf('  "r_version": "%s.%s",\n', R.version$major, R.version$minor))
for (name in names(values)) cat(sprintf('  "%s": %.15f,\n', name, values[[name]]))
cat(sprintf('  "first": %s,\n  "second": %s\n}\n', quoted(first), quoted(second)))
