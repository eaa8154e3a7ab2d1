// Returns, as JSON, the data of the charts on a page that Vega, Chart.js or D3 have drawn, in the form that
// `helm_structext.layouts.read_charts` reads; null where none of them has. It runs among the page's own scripts, which
// may have changed anything that it calls: what it returns is not to be believed.
((mostPoints, mostText) => {
  const DAY = 864e5
  const MAX_SERIES = 1000
  const MAX_MARKS = 5000
  const FAINT = 0.1
  let left = mostPoints

  // What is seen of a color on white; "" for none.
  const known = new Map()
  const brush = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true})
  const mix = color => {
    brush.fillStyle = '#010203'
    brush.fillStyle = color
    if (brush.fillStyle === '#010203') return ''
    brush.clearRect(0, 0, 1, 1)
    brush.fillRect(0, 0, 1, 1)
    const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data
    if (!alpha) return ''
    const level = part => Math.round((part * alpha) / 255 + 255 - alpha).toString(16).padStart(2, '0')
    return `#${level(red)}${level(green)}${level(blue)}`
  }
  const seen = color => {
    if (typeof color !== 'string' || color.length > 100) return ''
    if (!known.has(color)) known.set(color, known.size < 1000 ? mix(color) : '')
    return known.get(color)
  }
  const say = text => (Array.isArray(text) ? text.join(' ') : `${text ?? ''}`).slice(0, mostText)
  const round = side => Math.round(side * 10) / 10
  const isNumber = value => typeof value === 'number' && isFinite(value)
  // What comes of pixels has errors in its last digits.
  const precise = value => (isNumber(value) ? +value.toPrecision(10) : value)
  const days = value => (value instanceof Date ? value.getTime() / DAY : value)
  const take = points => {
    const found = points.filter(([at, value]) => isNumber(value) && (typeof at === 'string' || isNumber(at)))
    const told = found.slice(0, left)
    left -= told.length
    return told.map(([at, value, ...more]) => [precise(at), precise(value), ...more])
  }
  const onlyOne = values => (new Set(values).size === 1 ? values[0] : '')
  // A series whose color is that of all its points.
  const series = (name, mark, points, color, style) => {
    const told = take(points)
    const own = color || onlyOne(told.map(point => point[2]))
    if (own) for (const point of told) point[2] = ''
    return [say(name), mark, own, told, style ?? null]
  }
  // How a line is dashed: dots are no longer than wide.
  const dashesOf = (pattern, width) =>
    !pattern?.length ? 'solid' : pattern.length > 2 ? 'dash-dotted' : pattern[0] <= width ? 'dotted' : 'dashed'
  const placeOf = (element, width, height) => {
    const {left: x, top: y, width: wide, height: high} = element.getBoundingClientRect()
    const across = width ? wide / width : 1, down = height ? high / height : 1
    return (left, top, right, bottom) => [
      x + scrollX + across * Math.min(left, right), y + scrollY + down * Math.min(top, bottom),
      x + scrollX + across * Math.max(left, right), y + scrollY + down * Math.max(top, bottom),
    ].map(round)
  }

  // What nobody sees shows no data.
  const isSeen = item => (item.opacity ?? 1) * Math.max(...['fill', 'stroke'].map(part =>
    item[part] && item[part] !== 'none' && item[part] !== 'transparent' ? item[`${part}Opacity`] ?? 1 : 0)) >= FAINT

  // Vega

  const SYMBOLS = {
    circle: 'circles', square: 'squares', diamond: 'diamonds', cross: 'plus signs', stroke: 'strokes', triangle: 'upward triangles',
    'triangle-up': 'upward triangles', 'triangle-down': 'downward triangles', 'triangle-left': 'left triangles',
    'triangle-right': 'right triangles',
  }
  const SIDES = {bottom: 'x', top: 'x', left: 'y', right: 'y'}
  const findRole = (mark, role, found = []) => {
    if (mark.role === role) found.push(...mark.items)
    else if (mark.marktype === 'group') for (const item of mark.items) for (const one of item.items) findRole(one, role, found)
    return found
  }
  const readVega = view => {
    const svg = view.container().querySelector('svg')
    const [originX, originY] = view._renderer._origin
    const placed = placeOf(svg, svg.width.baseVal.value, svg.height.baseVal.value)
    const plots = []
    const make = (x, y, group, scales) => {
      const width = group.width ?? 0, height = group.height ?? 0
      const box = placed(x + originX, y + originY, x + originX + width, y + originY + height)
      const plot = {title: '', x: [], y: [], series: [], legend: [], horizontal: false, box, names: {}, marks: [], scales}
      plots.push(plot)
      return plot
    }
    const walk = (group, x, y, scales, plot, facet) => {
      const own = group.context?.scales ?? scales
      const axes = group.items.filter(mark => mark.role === 'axis' && mark.items[0]?.datum?.scale)
      const apart = !plot || axes.length && plot.hasAxes || facet && group.mark.name === 'cell'
      const here = apart ? make(x, y, group, own) : plot
      here.scales = own
      for (const mark of axes) {
        const [item] = mark.items, side = SIDES[item.orient]
        here.hasAxes = true
        if (!here.names[side]) here.names[side] = item.datum.scale
        const [title] = findRole(mark, 'axis-title')
        if (title && !here[`${side}Label`]) here[`${side}Label`] = say(title.text)
      }
      for (const mark of group.items) {
        if (mark.role === 'title') here.title = here.title || say(findRole(mark, 'title-text')[0]?.text)
        else if (mark.role === 'legend') readLegend(mark, here)
        else if (mark.marktype === 'group' && !/^(axis|legend|title)/.test(mark.role)) {
          for (const item of mark.items) walk(item, x + (item.x ?? 0), y + (item.y ?? 0), own, here, mark.role === 'scope')
        } else if (mark.role === 'mark') here.marks.push([mark, x + originX, y + originY, own])
      }
    }
    const readLegend = (mark, plot) => {
      const symbols = findRole(mark, 'legend-symbol'), labels = findRole(mark, 'legend-label')
      symbols.forEach((symbol, place) => {
        const fill = seen(symbol.fill)
        if (labels[place]) plot.legend.push([say(labels[place].text), fill || seen(symbol.stroke)])
      })
    }
    const [root] = view.scenegraph().root.items
    walk(root, root.x ?? 0, root.y ?? 0, view._runtime.scales, null, false)
    const legend = plots.flatMap(plot => plot.legend)
    return plots.filter(plot => plot.marks.length).map(plot => {
      plot.legend = plot.legend.length ? plot.legend : legend
      return readPlot(plot, placed)
    })
  }
  const kindOf = scale => !scale ? '' : /^(band|point|ordinal)/.test(scale.type) ? 'names' : scale.invert ? 'numbers' : ''
  const readPlot = (plot, placed) => {
    const scales = {}
    for (const side of ['x', 'y']) {
      const named = plot.names[side] ?? Object.keys(plot.scales).find(name => name === side)
      scales[side] = named ? plot.scales[named]?.value : undefined
    }
    const kinds = {x: kindOf(scales.x), y: kindOf(scales.y)}
    const nameOf = (side, pixel) => {
      const scale = scales[side], half = (scale.bandwidth?.() ?? 0) / 2
      let best, least = Infinity
      for (const value of scale.domain()) {
        const apart = Math.abs(scale(value) + half - pixel)
        if (apart < least) [best, least] = [value, apart]
      }
      return say(best instanceof Date ? best.toISOString() : best)
    }
    const at = (side, pixel) =>
      kinds[side] === 'names' ? nameOf(side, pixel) : kinds[side] === 'numbers' ? days(scales[side].invert(pixel)) : NaN
    const pairs = Object.values(plot.scales).map(one => one?.value).filter(scale => scale?.type === 'ordinal')
      .flatMap(scale => scale.domain().slice(0, 100).map(value => [seen(scale(value)), say(value)]))
    const called = new Map([...pairs, ...plot.legend.map(([text, color]) => [color, text])])
    called.delete('')
    const colorOf = item => seen(item.fill) || seen(item.stroke)
    const difference = (side, first, last) => {
      const [one, other] = [first, last].map(pixel => scales[side].invert(pixel))
      if (scales[side].type === 'log') return Math.max(one, other)
      const [near, far] = Math.abs(one) < Math.abs(other) ? [one, other] : [other, one]
      return near * far < 0 && Math.abs(near) > 1e-9 * Math.abs(far) ? far : far - near
    }
    const grouped = (items, point) => {
      const groups = new Map()
      for (const item of items) {
        const color = colorOf(item)
        if (!groups.has(color)) groups.set(color, [])
        groups.get(color).push(point(item, color))
      }
      return groups
    }
    const boxed = (item, x, y) => placed(x + item.bounds.x1, y + item.bounds.y1, x + item.bounds.x2, y + item.bounds.y2)
    const dot = (item, x, y) => placed(x + item.x - 4, y + item.y - 4, x + item.x + 4, y + item.y + 4)
    const tell = (groups, mark, style) => {
      for (const [color, points] of groups) plot.series.push(series(called.get(color) ?? '', mark, points, color, style?.(color)))
    }
    const read = {
      line: (items, x, y) => {
        const points = items.filter(item => item.defined !== false).map(item =>
          [at('x', item.x), days(scales.y.invert(item.y)), '', null, dot(item, x, y)])
        const color = seen(items[0].stroke) || seen(items[0].fill), width = items[0].strokeWidth ?? 1
        const style = [width, dashesOf(items[0].strokeDash, width), 'nothing']
        plot.series.push(series(called.get(color) ?? '', 'line', points, color, style))
      },
      area: items => {
        const lying = items[0].orient === 'horizontal'
        const points = items.filter(item => item.defined !== false).map(item => lying
          ? [at('y', item.y), difference('x', item.x, item.x + (item.width ?? 0)), '', null, null]
          : [at('x', item.x), difference('y', item.y, item.y + (item.height ?? 0)), '', null, null])
        plot.horizontal ||= lying
        const color = colorOf(items[0])
        plot.series.push(series(called.get(color) ?? '', 'area', points, color))
      },
      symbol: (items, x, y) => {
        const shapes = grouped(items, item => SYMBOLS[item.shape ?? 'circle'] ?? '')
        const lying = kinds.y === 'names' && kinds.x === 'numbers', across = lying ? 'y' : 'x', along = lying ? 'x' : 'y'
        plot.horizontal ||= lying
        tell(grouped(items, item =>
          [at(across, item[across]), kinds[along] === 'names' ? NaN : at(along, item[along]), '', null, dot(item, x, y)]), 'scatter',
        color => [0, '', onlyOne(shapes.get(color))])
      },
      arc: (items, x, y) => {
        const shares = items.map(item => {
          const color = colorOf(item)
          return [called.get(color) ?? '', Math.abs(item.endAngle - item.startAngle), color, null, boxed(item, x, y)]
        })
        plot.series.push(['', 'pie', '', take(shares)])
      },
      rect: (items, x, y) => {
        const middles = items.map(item => [item.x + (item.width ?? 0) / 2, item.y + (item.height ?? 0) / 2])
        if (kinds.x === 'names' && kinds.y === 'names') return readCells(items, middles, x, y)
        const lying = kinds.y === 'names' || kinds.x === 'numbers' && kinds.y === 'numbers' && items.length > 1
          && items.every(item => Math.abs(item.x - items[0].x) < 0.01)
        const across = lying ? 'y' : 'x', along = lying ? 'x' : 'y'
        if (kinds[along] !== 'numbers' || !kinds[across]) return
        plot.horizontal ||= lying
        const size = lying ? 'height' : 'width', span = lying ? 'width' : 'height'
        // What lies outside of the bins has no place.
        const ordered = items.filter(item => item[size] > 0 && Number.isFinite(item[across]))
          .toSorted((one, other) => one[across] - other[across])
        // Bins touch each other, but where there is an empty one.
        const gaps = ordered.slice(1).map((item, place) =>
          Math.abs(item[across] - ordered[place][across] - ordered[place][size]))
        const wide = ordered[0]?.[size] || 1
        const binned = kinds[across] === 'numbers' && ordered.length > 2
          && 2 * gaps.filter(gap => gap < 2).length >= gaps.length
          && gaps.every(gap => gap < 2 || Math.abs(gap - Math.round(gap / wide) * wide) < 3)
        const where = new Map(items.map((item, place) => [item, middles[place][lying ? 1 : 0]]))
        tell(grouped(items, item => [
          binned ? at(across, Math.min(item[across], item[across] + item[size])) : at(across, where.get(item)),
          difference(along, item[along], item[along] + item[span]), '', null, boxed(item, x, y),
        ]), binned ? 'histogram' : 'bar')
      },
    }
    const readCells = (items, middles, x, y) => {
      const scale = Object.values(plot.scales).map(one => one?.value)
        .find(one => one && !/^(band|point|ordinal)$/.test(one.type) && one !== scales.x && one !== scales.y
          && seen(one(one.domain()[0])))
      const fields = Object.keys(items[0].datum ?? {}).filter(name => isNumber(items[0].datum[name]))
      const field = fields.find(name => scale && items.every(item => seen(scale(item.datum[name])) === seen(item.fill)))
        ?? (fields.length === 1 ? fields[0] : '')
      const rows = new Map()
      items.forEach((item, place) => {
        const row = nameOf('y', middles[place][1])
        if (!rows.has(row)) rows.set(row, [])
        rows.get(row).push([nameOf('x', middles[place][0]), item.datum?.[field], colorOf(item), null, boxed(item, x, y)])
      })
      const order = scales.y.domain().map(say)
      for (const [row, points] of [...rows].sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0])))
        plot.series.push([row, 'heat map', '', take(points)])
    }
    const PARTS = {low: 'lower_whisker', lower: 'lower_box', median: 'mid_box', upper: 'upper_box', high: 'upper_whisker'}
    const readBoxes = () => {
      const items = type => plot.marks.flatMap(([mark, x, y]) =>
        mark.marktype === type ? mark.items.map(item => ({item, x, y, datum: item.datum ?? {}})) : [])
      const told = [...items('rect'), ...items('rule')]
      const field = told.flatMap(({datum}) => Object.keys(datum)).find(name => name.startsWith('mid_box_'))?.slice(8)
      if (!field) return false
      plot.horizontal = kinds.y === 'names'
      const across = plot.horizontal ? 'y' : 'x', size = plot.horizontal ? 'height' : 'width'
      const nameAt = ({item}) =>
        kinds[across] === 'names' ? nameOf(across, item[across] + (item.mark.marktype === 'rect' ? item[size] : 0) / 2) : ''
      const groups = new Map()
      for (const one of told) {
        const name = nameAt(one)
        groups.set(name, {...groups.get(name), ...one.datum, box: groups.get(name)?.box})
        if (`mid_box_${field}` in one.datum) groups.get(name).box ??= one
      }
      const spots = items('symbol')
      for (const [name, {box, ...datum}] of groups) {
        if (!box) continue
        const where = boxed(box.item, box.x, box.y)
        const points = Object.entries(PARTS).map(([part, prefix]) => [part, datum[`${prefix}_${field}`], '', null, where])
        for (const spot of spots)
          if (nameAt(spot) === name) points.push(['outlier', spot.datum[field], '', null, dot(spot.item, spot.x, spot.y)])
        plot.series.push([name, 'box', colorOf(box.item), take(points)])
      }
      return true
    }
    if (!readBoxes())
      for (const [mark, x, y] of plot.marks) {
        const items = mark.items.filter(isSeen)
        if (items.length && read[mark.marktype] && plot.series.length < MAX_SERIES) read[mark.marktype](items, x, y)
      }
    const axis = side => {
      const scale = scales[side], label = plot[`${side}Label`] ?? ''
      if (kinds[side] === 'names') return [label, null, null, false, scale.domain().map(say)]
      if (kinds[side] !== 'numbers') return []
      const ends = scale.domain().map(days)
      return [label, Math.min(...ends), Math.max(...ends), scale.type === 'log', []]
    }
    const {title, legend, horizontal, box} = plot
    return {title, x: axis('x'), y: axis('y'), series: plot.series, legend, horizontal, box}
  }

  // Chart.js

  const STYLES = {
    circle: 'circles', rect: 'squares', rectRounded: 'squares', rectRot: 'diamonds', triangle: 'upward triangles', star: 'stars',
    cross: 'plus signs', crossRot: 'crosses', line: 'strokes', dash: 'strokes', false: 'nothing',
  }
  const PIES = ['pie', 'doughnut', 'polarArea']
  const readChartJs = chart => {
    const placed = placeOf(chart.canvas, chart.width, chart.height)
    const {title, legend} = chart.options.plugins
    const scaleOf = axis => Object.values(chart.scales).find(scale => scale.axis === axis)
    const told = {title: title?.display ? say(title.text) : '', x: [], y: [], series: [], legend: [], horizontal: false}
    const isTime = scale => /^time/.test(scale.type)
    for (const side of ['x', 'y']) {
      const scale = scaleOf(side)
      if (!scale) continue
      const label = scale.options.title?.display ? say(scale.options.title.text) : ''
      const unit = isTime(scale) ? DAY : 1
      told[side] = scale.type === 'category' ? [label, null, null, false, scale.getLabels().map(say)]
        : [label, scale.min / unit, scale.max / unit, scale.type === 'logarithmic', []]
    }
    const markOf = (type, meta, set) => {
      if (PIES.includes(type)) return 'pie'
      if (type === 'bar') return 'bar'
      if (['scatter', 'bubble'].includes(type)) return set.showLine ? 'line' : 'scatter'
      const options = meta.dataset?.options ?? {}
      if (set.showLine === false) return 'scatter'
      return options.fill && options.fill !== false && set.fill !== false ? 'area' : 'line'
    }
    chart.data.datasets.forEach((set, number) => {
      if (!chart.isDatasetVisible(number) || told.series.length >= MAX_SERIES) return
      const meta = chart.getDatasetMeta(number), mark = markOf(meta.type, meta, set)
      const {iScale, vScale} = meta
      const labels = (chart.data.labels ?? []).map(say)
      const points = meta.data.map((element, place) => {
        const parsed = meta._parsed[place], options = element.options ?? {}
        if (mark === 'pie') {
          if (!chart.getDataVisibility(place)) return [NaN, NaN]
          const value = isNumber(parsed) ? parsed : parsed?.r
          const middle = (element.startAngle + element.endAngle) / 2, reach = element.outerRadius
          const x = element.x + (Math.cos(middle) * reach) / 2, y = element.y + (Math.sin(middle) * reach) / 2
          const box = placed(x - reach / 3, y - reach / 3, x + reach / 3, y + reach / 3)
          return [labels[place] ?? '', value, seen(options.backgroundColor), null, box]
        }
        const raw = parsed?.[iScale?.axis] ?? place
        const at = !iScale || iScale.type === 'radialLinear' ? labels[place] ?? place
          : iScale.type === 'category' ? say(iScale.getLabels()[raw]) : isTime(iScale) ? raw / DAY : raw
        const value = parsed?.[vScale?.axis]
        const {x, y} = element
        const box = mark !== 'bar' ? placed(x - 4, y - 4, x + 4, y + 4)
          : element.horizontal ? placed(element.base, y - element.height / 2, x, y + element.height / 2)
            : placed(x - element.width / 2, y, x + element.width / 2, element.base)
        const spread = parsed?._custom
        return [at, spread && isNumber(spread.barEnd) ? spread.barEnd - spread.barStart : value,
          seen(options.backgroundColor) || seen(options.borderColor), null, box]
      })
      const look = meta.dataset?.options ?? {}
      const color = mark === 'line' ? seen(look.borderColor) : mark === 'area' ? seen(look.backgroundColor) : ''
      told.horizontal ||= mark === 'bar' && iScale?.axis === 'y'
      const shapes = meta.data.map(({options}) => options?.radius === 0 ? 'nothing' : STYLES[options?.pointStyle] ?? '')
      const style = mark === 'line' ? [look.borderWidth, dashesOf(look.borderDash, look.borderWidth), onlyOne(shapes)]
        : mark === 'scatter' ? [0, '', onlyOne(shapes)] : null
      told.series.push(mark === 'pie' ? ['', 'pie', '', take(points)] : series(set.label ?? '', mark, points, color, style))
    })
    if (legend && legend.display !== false)
      for (const item of chart.legend?.legendItems ?? []) {
        if (item.hidden) continue
        const found = told.series[item.datasetIndex ?? -1]
        const color = found?.[1] === 'line' ? seen(item.strokeStyle) : seen(item.fillStyle) || seen(item.strokeStyle)
        told.legend.push([say(item.text), color])
      }
    const {left: x1, top: y1, right: x2, bottom: y2} = chart.chartArea
    return {...told, box: placed(x1, y1, x2, y2)}
  }

  // D3: its axes and marks carry what they were made of; its scales are not to be had, but the ticks tell them.

  const onScreen = (element, x, y) => {
    const {a, b, c, d, e, f} = element.getScreenCTM()
    return [a * x + c * y + e, b * x + d * y + f]
  }
  const scaleOfTicks = (ticks, places, ends) => {
    const values = ticks.map(tick => tick.__data__)
    if (!values.every(value => isNumber(value) || value instanceof Date)) {
      const place = value => places[values.findIndex(one => one === value)] ?? NaN
      return Object.assign(place, {type: 'band', domain: () => values})
    }
    const [first, last] = [0, ticks.length - 1]
    const bend = type => type === 'log' ? [Math.log, Math.exp] : [Number, Number]
    const miss = type => {
      const [bent] = bend(type), slope = (places[last] - places[first]) / (bent(values[last]) - bent(values[first]))
      return Math.max(...values.map((value, n) => Math.abs(places[first] + slope * (bent(value) - bent(values[first])) - places[n])))
    }
    const type = values.every(value => value > 0) && !(miss('linear') <= miss('log') + 0.5) ? 'log' : 'linear'
    const [bent, straight] = bend(type), isTime = values[0] instanceof Date
    const slope = (places[last] - places[first]) / (bent(values[last]) - bent(values[first]))
    const step = 10 ** Math.floor(Math.log10(Math.abs(1 / slope) / 100))  // a hundredth of a pixel: paths are rounded
    const invert = pixel => {
      const exact = straight(bent(values[first]) + (pixel - places[first]) / slope)
      const value = type === 'log' ? exact : Math.round(exact / step) * step
      return isTime ? new Date(value) : value
    }
    const place = value => places[first] + slope * (bent(+value) - bent(values[first]))
    return Object.assign(place, {type, domain: () => ends.map(invert), invert})
  }
  const readAxis = group => {
    const ticks = [...group.children].filter(one => one.classList.contains('tick') && one.__data__ !== undefined)
    if (ticks.length < 2) return null
    // From version 4 on, all is half a pixel off so that lines are sharp.
    const off = ticks[0].querySelector('line')?.hasAttribute('stroke') && devicePixelRatio <= 1 ? 0.5 : 0
    const [across, down] = [0, 1].map(at => ticks.map(tick => onScreen(tick, -off, -off)[at]))
    const [wide, high] = [across, down].map(places => Math.max(...places) - Math.min(...places))
    const side = wide >= high ? 'x' : 'y', places = side === 'x' ? across : down
    const label = [...group.children].find(one => one.tagName === 'text')?.textContent
    const domain = [...group.children].find(one => one.classList.contains('domain'))
    const {left, right, top, bottom} = domain?.getBoundingClientRect() ?? {}
    const ends = !domain ? [places[0], places.at(-1)] : side === 'x' ? [left - off, right - off] : [bottom - off, top - off]
    return {side, label: say(label), scale: scaleOfTicks(ticks, places, ends), ends}
  }
  // A series is named by what a group of marks, or a path of its own, was made of.
  const nameOfMark = (element, svg) => {
    for (let one = element; one && one !== svg; one = one.parentNode) {
      const made = one.__data__
      if (made === null || typeof made !== 'object') continue
      if (Array.isArray(made) && made.length === 2 && typeof made[0] === 'string' && typeof made[1] === 'object') return made[0]
      if (typeof made.key === 'string') return made.key
      const name = [made.name, made.id, made.label].find(text => typeof text === 'string')
      if (name && Object.values(made).some(Array.isArray)) return name
    }
    return ''
  }
  const pointsOfPath = path => {
    const points = []
    for (const [, command, written] of (path.getAttribute('d') ?? '').slice(0, 1e6).matchAll(/([MLHVC])([^A-Za-z]*)/g)) {
      const numbers = (written.match(/-?[\d.]+(?:e[-+]?\d+)?/g) ?? []).map(Number)
      const [x, y] = points.at(-1) ?? [0, 0]
      if (command === 'H') points.push([numbers[0], y])
      else if (command === 'V') points.push([x, numbers[0]])
      else points.push(numbers.slice(-2))
    }
    return points.map(([x, y]) => onScreen(path, x, y))
  }
  const lookOf = element => {
    const {fill, stroke, opacity, fillOpacity, strokeOpacity, strokeWidth, strokeDasharray} = getComputedStyle(element)
    const dash = (strokeDasharray.match(/[\d.]+/g) ?? []).map(Number)
    return {fill, stroke, opacity: +opacity, fillOpacity: +fillOpacity, strokeOpacity: +strokeOpacity,
      strokeWidth: parseFloat(strokeWidth), strokeDash: dash, datum: withNumbers(element.__data__)}
  }
  // What was read from a file of text is text.
  const withNumbers = made => made === null || typeof made !== 'object' || Array.isArray(made) ? made
    : Object.fromEntries(Object.entries(made).map(([name, value]) =>
      [name, typeof value === 'string' && value.trim() && isFinite(value) ? +value : value]))
  const boundsOf = element => {
    const {left, top, right, bottom} = element.getBoundingClientRect()
    return {x1: left, y1: top, x2: right, y2: bottom}
  }
  const MARKS = {
    rect: element => {
      const bounds = boundsOf(element), {x1, y1, x2, y2} = bounds
      const wide = onScreen(element, 1, 0)[0] - onScreen(element, 0, 0)[0]
      const line = element.getBBox().width ? (x2 - x1 - element.getBBox().width * wide) / 2 : 0
      return ['rect', [{x: x1 + line, y: y1 + line, width: x2 - x1 - 2 * line, height: y2 - y1 - 2 * line, bounds}]]
    },
    circle: element => {
      const [x, y] = onScreen(element, element.cx.baseVal.value, element.cy.baseVal.value)
      return ['symbol', [{x, y}]]
    },
    path: (element, look) => {
      const made = element.__data__
      if (isNumber(made?.startAngle) && isNumber(made.endAngle))
        return ['arc', [{startAngle: made.startAngle, endAngle: made.endAngle, bounds: boundsOf(element)}]]
      const points = pointsOfPath(element), rows = points.length / 2
      if (look.fill === 'none') return ['line', points.map(([x, y]) => ({x, y}))]
      if (rows !== Math.round(rows)) return null
      return ['area', points.slice(0, rows).map(([x, y], n) => ({x, y, height: points[2 * rows - 1 - n][1] - y}))]
    },
  }
  const readD3 = svg => {
    const groups = new Set([...svg.querySelectorAll('.tick')].map(tick => tick.parentNode))
    const axes = [...groups].map(readAxis).filter(Boolean)
    const sides = Object.fromEntries(axes.toReversed().map(axis => [axis.side, axis]))
    // Which of several plots a mark belongs to is not told.
    if (axes.some(({side, ends}) => ends.some((end, n) => Math.abs(end - sides[side].ends[n]) > 1))) return []
    const bothNumbers = ['x', 'y'].every(side => kindOf(sides[side]?.scale) === 'numbers')
    const {left, top, right, bottom} = svg.getBoundingClientRect()
    const [[x1, x2], [y1, y2]] = [sides.x?.ends ?? [left, right], sides.y?.ends ?? [top, bottom]]
    const placed = (...box) => box.map((side, n) => round(side + (n % 2 ? scrollY : scrollX)))
    const plot = {title: '', series: [], legend: [], horizontal: false, names: {}, marks: [],
      box: placed(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)),
      scales: Object.fromEntries(Object.entries(sides).map(([side, {scale}]) => [side, {value: scale}]))}
    const names = new Map(), drawn = new Map()
    for (const element of [...svg.querySelectorAll('rect, circle, path')].slice(0, MAX_MARKS)) {
      if (element.__data__ === undefined || element.closest('.tick') || groups.has(element.parentNode)) continue
      const look = lookOf(element), found = MARKS[element.tagName](element, look)
      if (!found?.[1].length) continue
      const [marktype, items] = found, one = ['rect', 'symbol', 'arc'].includes(marktype)
      const color = seen(look.fill) || seen(look.stroke), name = nameOfMark(element, svg) || nameOfSlice(marktype, look.datum)
      if (name) names.set(color, name)
      const key = !one ? drawn.size : marktype === 'rect' && bothNumbers ? color : marktype
      if (!drawn.has(key)) drawn.set(key, {marktype, items: []})
      const mark = drawn.get(key)
      mark.items.push(...items.map(item => ({...look, ...item, mark})))
    }
    if (!drawn.size || !(sides.x && sides.y) && ![...drawn.values()].some(mark => mark.marktype === 'arc')) return []
    plot.marks = [...drawn.values()].map(mark => [mark, 0, 0])
    const colors = new Map([...names].map(([color, name]) => [name, color]))
    plot.scales.names = {value: Object.assign(name => colors.get(name), {type: 'ordinal', domain: () => [...colors.keys()]})}
    for (const side of ['x', 'y']) plot[`${side}Label`] = sides[side]?.label
    return readPlot(plot, placed)
  }
  const nameOfSlice = (marktype, made) => marktype !== 'arc' ? ''
    : Array.isArray(made.data) ? say(made.data[0]) : say(Object.values(made.data ?? {}).find(value => typeof value === 'string'))
  const d3Charts = () => [...new Set([...document.querySelectorAll('svg')].slice(0, 100).filter(svg =>
    [...svg.querySelectorAll('.tick, path')].slice(0, MAX_MARKS).some(one => one.__data__ !== undefined)))]

  const charts = []
  const add = (found, read) => {
    for (const one of found) {
      try { charts.push(...[read(one)].flat()) } catch {}
    }
    return found.length
  }
  const all = [
    add(self.vegaView ? [self.vegaView] : [], readVega),
    add(Object.values(self.Chart?.instances ?? {}), readChartJs),
    add(self.vegaView ? [] : d3Charts(), readD3),
  ]
  return JSON.stringify(all.some(Boolean) ? charts : null)
})
