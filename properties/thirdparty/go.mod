module github.com/dpcalc/dpcalc/properties/thirdparty

go 1.26

require (
	github.com/dpcalc/dpcalc v0.0.0
	github.com/google/differential-privacy/go/v3 v3.0.0
)

require (
	github.com/golang/glog v1.2.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace github.com/dpcalc/dpcalc => ../..
