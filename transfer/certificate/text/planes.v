Definition ${.name} := Planes${.numbers}.

