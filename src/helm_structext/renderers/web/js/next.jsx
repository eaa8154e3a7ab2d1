// What pages of Next.js import, for a page that has no server: links that lead nowhere, one empty route.

import {Suspense, createElement, forwardRef, lazy} from 'react'

const text = href => typeof href === 'string' ? href : href?.pathname ?? ''
export const Link = forwardRef(({href, replace, scroll, shallow, prefetch, passHref, legacyBehavior, ...rest}, ref) =>
  createElement('a', {...rest, ref, href: text(href)}))

export const Image = forwardRef(({src, fill, priority, quality, placeholder, blurDataURL, loader, unoptimized, style, ...rest}, ref) =>
  createElement('img', {
    ...rest, ref, src: src?.src ?? src,
    style: fill ? {position: 'absolute', inset: 0, width: '100%', height: '100%', ...style} : style,
  }))

export const Nothing = () => null
export const useRouter = () => ({
  push() {}, replace() {}, back() {}, forward() {}, refresh() {}, prefetch() {},
  pathname: '/', asPath: '/', route: '/', query: {}, isReady: true, events: {on() {}, off() {}, emit() {}},
})
export const usePathname = () => '/'
export const useParams = () => ({})
export const useSearchParams = () => new URLSearchParams()
export const useSelectedLayoutSegment = () => null
export const redirect = () => {}
export const notFound = redirect

export function dynamic(load, {loading: Loading = Nothing} = {}) {
  const Part = lazy(async () => {
    const made = await (load.loader ?? load)()
    return {default: made.default ?? made}
  })
  return props => createElement(Suspense, {fallback: createElement(Loading)}, createElement(Part, props))
}
