library(dpcalc)

stopifnot(exact(0.1) == "0.1", as.numeric(exact(1/3)) == 1/3, exact(TRUE) == "TRUE")

said <- function(expression) tryCatch({ expression; "" }, error = conditionMessage)
stopifnot(grepl("want the path of the program", said(dpcalc_program("/nowhere/dpcalc"))))

# What follows needs the program. The check of a release has it.
if (nzchar(Sys.getenv("DPCALC", Sys.which("dpcalc")))) {
  plan <- dpcalc("samplesize", queries = 10, tau = 0.1, beta = 0.05, best = TRUE)
  stopifnot(nrow(plan) == 1, plan$best, plan$samples < 700)
  # By the number that was left out the first row is the best plan, and full = TRUE has references as well.
  plans <- dpcalc("samplesize", samples = 20000, queries = 25, beta = 0.05, query = "binary")
  stopifnot(plans$adaptive, plans[order(plans$tau), "best"][1])
  all <- dpcalc("samplesize", samples = 20000, queries = 25, beta = 0.05, query = "binary", full = TRUE)
  stopifnot(nrow(all) > nrow(plans), !all[order(all$tau), "adaptive"][1])
  holdout <- answers(samples = 20000, queries = 2, beta = 0.05, query = "binary")
  # A share above 1 is refused, and costs nothing.
  stopifnot(grepl("want a number from 0 to 1", said(holdout$answer(57))))
  for (i in 1:2) stopifnot(abs(holdout$answer(0.5) - 0.5) < 0.2)
  stopifnot(grepl("used up", said(holdout$answer(0.5))))
  failed <- tryCatch(dpcalc("samplesize", tau = 2), dpcalc_error = function(e) e)
  stopifnot(failed$code == 2, grepl("--queries", conditionMessage(failed)))
  # A file with the name of a flag is a file, and "-" is the input.
  folder <- setwd(tempdir())
  writeLines("kept", "kept.json")
  writeLines(c("p", "0.01"), "--output=kept.json")
  p <- function(file) dpcalc("pvalue-correct", file, by = "description", outcomes = 40, alpha = 0.05, input = c("p", "0.01"))$p
  stopifnot(p("--output=kept.json") == 0.01, p("-") == 0.01, readLines("kept.json") == "kept")
  setwd(folder)
  told <- dpcalc_program()
  stopifnot(identical(dpcalc_program(told), normalizePath(told)), dpcalc_program() == normalizePath(told))
}
