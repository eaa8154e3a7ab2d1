// Hides all that a page shows, but for its own background and the box of a wrapper around it. Sizes
// and places stay as they are.
{
  const hide = root => {
    for (const element of root.querySelectorAll('*')) {
      if (!element.matches('body > [data-wrapper]')) element.style?.setProperty('opacity', '0', 'important')
      element.style?.setProperty('transition', 'none', 'important')
      if (element.shadowRoot) hide(element.shadowRoot)
    }
  }
  const {body} = document
  for (const node of body ? [...body.childNodes] : []) {
    if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue
    const span = document.createElement('span')
    node.replaceWith(span)
    span.append(node)
  }
  if (body) hide(body)
}
