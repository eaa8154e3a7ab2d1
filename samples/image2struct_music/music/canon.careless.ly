I can't transcribe sheet music from an image exactly, but this appears to be the opening of Pachelbel's Canon in D for three violins and bass.
