Definition fine := {| bits := ${.bits}; width := ${.width} |}.

