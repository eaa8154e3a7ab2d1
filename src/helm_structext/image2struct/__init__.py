"""Image2Struct: a vision-language model sees a picture and writes the code that draws it."""
