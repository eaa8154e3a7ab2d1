// Returns colors as they are drawn: red, green, blue and opacity, each from 0 to 255.
(colors => {
  const context = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true})
  return colors.map(color => {
    context.clearRect(0, 0, 1, 1)
    context.fillStyle = 'transparent'
    context.fillStyle = color
    context.fillRect(0, 0, 1, 1)
    return [...context.getImageData(0, 0, 1, 1).data]
  })
})
