import useEmblaCarousel from 'embla-carousel-react'
import {ArrowLeft, ArrowRight} from 'lucide-react'
import {createContext, useContext, useEffect} from 'react'
import {Button} from './basic.jsx'
import {cn} from './utils.jsx'

const Shown = createContext({})
export const useCarousel = () => useContext(Shown)
export function Carousel({orientation = 'horizontal', opts, setApi, plugins, className, children, ...rest}) {
  const [ref, api] = useEmblaCarousel({...opts, axis: orientation === 'horizontal' ? 'x' : 'y'}, plugins)
  useEffect(() => { if (api) setApi?.(api) }, [api, setApi])
  return (
    <Shown.Provider value={{ref, api, orientation}}>
      <div className={cn('relative', className)} role="region" aria-roledescription="carousel" {...rest}>{children}</div>
    </Shown.Provider>
  )
}
export function CarouselContent({className, ...rest}) {
  const {ref, orientation} = useCarousel()
  return <div ref={ref} className="overflow-hidden"><div className={cn('flex', orientation === 'horizontal' ? '-ml-4' : '-mt-4 flex-col', className)} {...rest} /></div>
}
export function CarouselItem({className, ...rest}) {
  const {orientation} = useCarousel()
  return <div role="group" className={cn('min-w-0 shrink-0 grow-0 basis-full', orientation === 'horizontal' ? 'pl-4' : 'pt-4', className)} {...rest} />
}
function Step({back, className, ...rest}) {
  const {api, orientation} = useCarousel()
  const place = orientation === 'horizontal' ? ['-left-12 top-1/2 -translate-y-1/2', '-right-12 top-1/2 -translate-y-1/2']
    : ['-top-12 left-1/2 -translate-x-1/2 rotate-90', '-bottom-12 left-1/2 -translate-x-1/2 rotate-90']
  return (
    <Button variant="outline" size="icon" className={cn('absolute h-8 w-8 rounded-full', place[back ? 0 : 1], className)}
      onClick={() => back ? api?.scrollPrev() : api?.scrollNext()} {...rest}>
      {back ? <ArrowLeft className="h-4 w-4" /> : <ArrowRight className="h-4 w-4" />}<span className="sr-only">{back ? 'Previous' : 'Next'} slide</span>
    </Button>
  )
}
export const CarouselPrevious = props => <Step back {...props} />
export const CarouselNext = props => <Step {...props} />
