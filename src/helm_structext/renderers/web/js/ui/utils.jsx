// What the components share; the names are those of shadcn/ui, as of all files beside this one.

import {clsx} from 'clsx'
import {createElement, forwardRef} from 'react'
import {twMerge} from 'tailwind-merge'

export const cn = (...classes) => twMerge(clsx(classes))

/** An element or another component with classes of its own, to which its user adds others. */
export function styled(tag, classes, defaults = {}) {
  return forwardRef(({className, ...rest}, ref) =>
    createElement(tag, {...defaults, ...rest, ref, className: cn(classes, className)}))
}

/** The same with variants: `variants` is what `cva` returns, whose choices are props. */
export function varied(tag, variants, choices, defaults = {}) {
  return forwardRef(({className, ...rest}, ref) => {
    const chosen = Object.fromEntries(choices.map(name => [name, rest[name]]))
    const others = Object.fromEntries(Object.entries(rest).filter(([name]) => !choices.includes(name)))
    return createElement(tag, {...defaults, ...others, ref, className: cn(variants(chosen), className)})
  })
}

/** An element, or with `asChild` the one inside of it. */
export const slotted = (tag, Slot) => forwardRef(({asChild, ...rest}, ref) => createElement(asChild ? Slot : tag, {...rest, ref}))

export const useIsMobile = () => window.matchMedia('(max-width: 767px)').matches
