# The program, which is found on the PATH, or named: by a call with its path, or before R starts by the variable DPCALC.
place <- new.env()

dpcalc_program <- function(path) {
  if (!missing(path)) {
    stopifnot(is.character(path), length(path) == 1, !is.na(path))
    if (file.access(path, 1) != 0) stop(sprintf("got %s, want the path of the program dpcalc", path), call. = FALSE)
    place$path <- normalizePath(path)
    return(invisible(place$path))
  }
  found <- if (is.null(place$path)) Sys.getenv("DPCALC", unname(Sys.which("dpcalc"))) else place$path
  if (!nzchar(found)) stop(paste("got no program dpcalc on the PATH, want its path by dpcalc_program(path):",
                                 "https://github.com/dpcalc/dpcalc has it"), call. = FALSE)
  found
}

# The fewest digits that read as the same number.
exact <- function(x) {
  short <- format(x, digits = 15, decimal.mark = ".")
  if (is.numeric(x) && !is.na(x) && as.numeric(short) != x) format(x, digits = 17, decimal.mark = ".") else short
}

# The rows of `dpcalc COMMAND ARGUMENTS FLAGS`, a data frame. target_beta = 0.1 stands for --target-beta=0.1,
# zip = TRUE for --zip, step = c("a", "b") for --step=a --step=b. With output = FILE the rows are in the file.
# An argument without a name is never a flag: a file may have the name --output=x.json.
# Where the program fails, a dpcalc_error has its line as the message, its exit code as code and its rows as rows.
dpcalc <- function(command, ..., input = character()) {
  all <- list(...)
  if (is.null(all$output)) all$format <- "json"
  words <- mapply(function(name, value) {
    flag <- gsub("_", "-", name)
    if (name == "") sub("^-(?=.)", "./-", value, perl = TRUE) else if (isTRUE(value)) paste0("--", flag) else sprintf("--%s=%s", flag, sapply(value, exact))
  }, if (is.null(names(all))) rep("", length(all)) else names(all), all)
  files <- tempfile(c("out", "err", "in"))
  on.exit(unlink(files))
  writeLines(input, files[3])
  code <- system2(dpcalc_program(), shQuote(c(command, unlist(words))),
                  stdin = files[3], stdout = files[1], stderr = files[2])
  out <- readLines(files[1])
  said <- readLines(files[2])
  rows <- if (any(startsWith(out, "{"))) jsonlite::fromJSON(out)$rows
  if (code != 0) {
    if (length(said) == 0) said <- paste0(ifelse(is.na(rows$method), "", paste0(rows$method, ": ")), rows$reason)[!is.na(rows$reason)]
    stop(structure(class = c("dpcalc_error", "error", "condition"),
                   list(message = paste(said, collapse = "; "), call = NULL, code = code, rows = rows)))
  }
  for (notice in said) warning(notice, call. = FALSE)
  invisible(rows)
}

# A normal number by the system's source, which no one can predict: 48 random bits, through the quantile function.
# It is drawn again until it is within the cut, whatever the value is; to clip it is not what was planned.
noise <- function(sd, cut) {
  source <- file("/dev/urandom", "rb", raw = TRUE)
  on.exit(close(source))
  repeat {
    number <- qnorm((sum(as.integer(readBin(source, "raw", 6)) * 256^(0:5)) + 0.5) / 256^6)
    if (abs(number) <= cut) return(sd * number)
  }
}

# The plan of gaussian-schedule for a goal, and a function that adds its noise to one value after another. After the
# last of the plan's answers the function stops with code 3, whatever it is asked.
answers <- function(...) {
  file <- tempfile(fileext = ".json")
  on.exit(unlink(file))
  plan <- dpcalc("samplesize", ..., method = "gaussian-schedule", schedule = file)
  rows <- jsonlite::fromJSON(file)$rows
  left <- rows$noise_scale
  cuts <- if (is.null(rows$cut)) rep(Inf, length(left)) else rows$cut
  low <- if (plan$query == "difference") -1 else if (plan$query %in% c("bounded", "binary")) 0 else -Inf
  high <- if (is.finite(low)) 1 else Inf
  list(plan = plan, answer = function(value) {
    if (length(left) == 0) stop(structure(class = c("dpcalc_error", "error", "condition"),
      list(message = "the plan is used up: nothing more may be shown", call = NULL, code = 3)))
    stopifnot(is.numeric(value), length(value) == 1, is.finite(value)) # costs no answer
    # The noise is for such values: for 57 per cent it would be 100 times too small.
    if (value < low || value > high)
      stop(simpleError(sprintf("got %s, want a number from %s to %s", exact(value), low, high)))
    sd <- left[1]
    cut <- cuts[1]
    left <<- left[-1]
    cuts <<- cuts[-1]
    # The last digits of a sum of floats tell of the value, so they are rounded away.
    round(value + noise(sd, cut), 9)
  })
}
