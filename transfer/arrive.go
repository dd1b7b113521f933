package transfer

var (
	arrivalProof   = proved("open.md#rows-that-arrive-in-stages", "open.md#rows-that-come-later")
	arrivalAssumes = []string{"when rows come, and which, owes nothing to their labels", "query j is about exactly the rows planned for it"}
)
