# What the scripts of this folder share: reading inputs, and writing values as JSON with the versions they come from.
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE)))
input <- function(name) read.csv(file.path(here, "inputs", paste0(name, ".csv")))
values <- list()
number <- function(v) ifelse(is.na(v), "null", ifelse(is.infinite(v), ifelse(v > 0, "1e999", "-1e999"), sprintf("%.17g", v)))
json <- function(v) { v <- as.numeric(v); if (length(v) == 1) number(v) else paste0("[", paste(number(v), collapse = ", "), "]") }
put <- function(name, ...) values[[name]] <<- list(...)

write_values <- function(file, packages) {
  body <- vapply(names(values), function(n) paste0("    \"", n, "\": {", paste0("\"", names(values[[n]]), "\": ", vapply(values[[n]], json, ""), collapse = ", "), "}"), "")
  versions <- paste0("  \"", packages, "\": \"", vapply(packages, function(p) as.character(packageVersion(p)), ""), "\",")
  writeLines(c("{", sprintf("  \"r\": \"%s\",", R.version.string), versions, "  \"values\": {", paste(body, collapse = ",\n"), "  }", "}"), file.path(here, file))
}
