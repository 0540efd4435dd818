# Reference values for Change, the first-phase mixed model and ratings, from lme4 and base R, on the responses.csv of make_inputs.py.
# Usage: Rscript tests/reference/simulatability.R   (writes tests/reference/simulatability.json; about four minutes)
suppressMessages(library(lme4))
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE)))
d <- read.csv(file.path(here, "inputs", "responses.csv")); d$method <- factor(d$method)
values <- list()
json <- function(v) { v <- ifelse(is.na(v), "null", sprintf("%.17g", as.numeric(v))); if (length(v) == 1) v else paste0("[", paste(v, collapse = ", "), "]") }
put <- function(name, ...) values[[name]] <<- list(...)
tight <- glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e6), check.conv.grad = "ignore", check.conv.hess = "ignore")

# The first phase: a random effect for each method, then with people and items too.
start <- function(f, data) { m <- suppressMessages(glmer(f, data, binomial, control = tight))
  list(m = m, share = plogis(fixef(m) + ranef(m)$method[levels(data$method), 1])) }
a <- start(before ~ (1 | method), d)
put("first_phase", intercept = fixef(a$m), sd = as.data.frame(VarCorr(a$m))$sdcor, modes = ranef(a$m)$method[, 1], shares = a$share, log_likelihood = logLik(a$m))
b <- start(before ~ (1 | method) + (1 | person) + (1 | item), d)
v <- as.data.frame(VarCorr(b$m)); sdof <- function(g) v$sdcor[v$grp == g]
put("first_phase_crossed", intercept = fixef(b$m), sds = c(sdof("method"), sdof("person"), sdof("item")), modes = ranef(b$m)$method[, 1], log_likelihood = logLik(b$m))

# The paper's bootstrap, written from its description: blocks until there are rows enough, then trim; twice.
trimmed <- function(data, by) { rows <- split(seq_len(nrow(data)), data[[by]]); out <- integer(0)
  while (length(out) < nrow(data)) out <- c(out, rows[[sample(length(rows), 1)]])
  data[out[seq_len(nrow(data))], ] }
change <- function(data) { data$method <- droplevels(data$method)
  m <- suppressWarnings(suppressMessages(glmer(before ~ (1 | method), data, binomial)))
  if (isSingular(m)) return(NULL)
  pre <- plogis(fixef(m) + ranef(m)$method[, 1]); names(pre) <- rownames(ranef(m)$method)
  post <- tapply(data$after, data$method, mean); out <- rep(NA, 5); names(out) <- levels(d$method)
  out[names(pre)] <- post[names(pre)] - pre; out }
set.seed(1); n <- 800
both <- matrix(NA, n, 5); people <- matrix(NA, n, 5); singular <- c(0, 0)
for (i in seq_len(n)) { one <- trimmed(d, "person"); two <- trimmed(one, "item")
  r <- change(two); if (is.null(r)) singular[1] <- singular[1] + 1 else both[i, ] <- r
  r <- change(one); if (is.null(r)) singular[2] <- singular[2] + 1 else people[i, ] <- r }
said <- function(x) { x <- x[!is.na(x)]; q <- quantile(x, c(.025, .975)); c(mean(x), sd(x), (q[2] - q[1]) / 2, mean(abs(x - mean(x)) > abs(mean(x)))) }
put("published_two_way", resamples = n, n_singular = singular[1], lime = said(both[, 4]), decision_boundary = said(both[, 3]))
put("published_people", resamples = n, n_singular = singular[2], lime = said(people[, 4]), decision_boundary = said(people[, 3]))

# Within the condition: paired differences, people and items drawn as blocks.
l <- d[d$method == "lime", ]; M <- tapply(l$after - l$before, list(l$person, l$item), mean)
w <- replicate(20000, { r <- M[sample(nrow(M), replace = TRUE), ]; c(mean(r, na.rm = TRUE), mean(r[, sample(ncol(M), replace = TRUE)], na.rm = TRUE)) })
put("within_condition", estimate = mean(M, na.rm = TRUE), people = c(sd(w[1, ]), quantile(w[1, ], c(.025, .975))), two_way = c(sd(w[2, ]), quantile(w[2, ], c(.025, .975))))

# Ratings: P(5) - P(4) of a logistic regression, absolute, within people, and within method x item as published.
rise <- function(y, x, lo, hi) { g <- glm(y ~ x, family = binomial); unname(diff(plogis(coef(g)[1] + coef(g)[2] * c(lo, hi)))) }
z <- function(x, g) ave(x, g, FUN = function(v) (v - mean(v)) / sd(v))
d$own <- z(d$rating, d$person); d$cell <- paste(d$method, d$item); d$celled <- z(d$rating, d$cell)
own <- d[is.finite(d$own), ]; celled <- d[is.finite(d$celled), ]
g <- glm(after ~ rating, binomial, d)
draws <- replicate(4000, { r <- do.call(rbind, split(d, d$person)[sample(length(unique(d$person)), replace = TRUE)]); rise(r$after, r$rating, 4, 5) })
put("ratings", coefficients = coef(g), absolute = rise(d$after, d$rating, 4, 5), within_person = rise(own$after, own$own, 0, 1),
    within_cell = rise(celled$after, celled$celled, 0, 1), n_within_cell = nrow(celled), bootstrap = c(sd(draws), quantile(draws, c(.025, .975))))

# Regression to the mean, per person with ten items or more.
p <- aggregate(cbind(before, after) ~ person, d, mean); s <- summary(lm(I(after - before) ~ before, p))$coefficients[2, ]
put("to_the_mean", slope = s[1], standard_error = s[2], t = s[3], p = s[4])

body <- vapply(names(values), function(n) paste0("    \"", n, "\": {", paste0("\"", names(values[[n]]), "\": ", vapply(values[[n]], json, ""), collapse = ", "), "}"), "")
writeLines(c("{", sprintf("  \"r\": \"%s\",", R.version.string), sprintf("  \"lme4\": \"%s\",", packageVersion("lme4")), "  \"values\": {",
  paste(body, collapse = ",\n"), "  }", "}"), file.path(here, "simulatability.json"))
