module outrigger/tests/bench/load

go 1.26.0
