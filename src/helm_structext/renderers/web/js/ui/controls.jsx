// Components that people set or open in place.

import * as Accordions from '@radix-ui/react-accordion'
import {Root as AspectRatio} from '@radix-ui/react-aspect-ratio'
import * as Avatars from '@radix-ui/react-avatar'
import * as Checkboxes from '@radix-ui/react-checkbox'
import * as Collapsibles from '@radix-ui/react-collapsible'
import * as Progresses from '@radix-ui/react-progress'
import * as Radios from '@radix-ui/react-radio-group'
import * as Areas from '@radix-ui/react-scroll-area'
import * as Selects from '@radix-ui/react-select'
import * as Separators from '@radix-ui/react-separator'
import * as Sliders from '@radix-ui/react-slider'
import * as Switches from '@radix-ui/react-switch'
import * as TabsPrimitive from '@radix-ui/react-tabs'
import * as Toggles from '@radix-ui/react-toggle'
import * as Groups from '@radix-ui/react-toggle-group'
import {cva} from 'class-variance-authority'
import {Check, ChevronDown, ChevronUp, Circle} from 'lucide-react'
import {createContext, forwardRef, useContext} from 'react'
import {cn, styled, varied} from './utils.jsx'

const FOCUS = 'focus-visible:outline-none focus-visible:ring-1 focus-visible:ring-ring'
const OFF = 'disabled:cursor-not-allowed disabled:opacity-50'

export {AspectRatio}
export const Accordion = Accordions.Root
export const AccordionItem = styled(Accordions.Item, 'border-b')
export const AccordionTrigger = forwardRef(({className, children, ...rest}, ref) => (
  <Accordions.Header className="flex">
    <Accordions.Trigger ref={ref} className={cn('flex flex-1 items-center justify-between py-4 text-left text-sm font-medium transition-all hover:underline [&[data-state=open]>svg]:rotate-180', className)} {...rest}>
      {children}<ChevronDown className="h-4 w-4 shrink-0 text-muted-foreground transition-transform duration-200" />
    </Accordions.Trigger>
  </Accordions.Header>
))
export const AccordionContent = ({className, children, ...rest}) => (
  <Accordions.Content className="overflow-hidden text-sm" {...rest}><div className={cn('pb-4 pt-0', className)}>{children}</div></Accordions.Content>
)

export const Avatar = styled(Avatars.Root, 'relative flex h-10 w-10 shrink-0 overflow-hidden rounded-full')
export const AvatarImage = styled(Avatars.Image, 'aspect-square h-full w-full')
export const AvatarFallback = styled(Avatars.Fallback, 'flex h-full w-full items-center justify-center rounded-full bg-muted')

export const Checkbox = styled(Checkboxes.Root,
  `grid h-4 w-4 shrink-0 place-content-center rounded-sm border border-primary shadow ${FOCUS} ${OFF} data-[state=checked]:bg-primary data-[state=checked]:text-primary-foreground`,
  {children: <Checkboxes.Indicator className="grid place-content-center text-current"><Check className="h-4 w-4" /></Checkboxes.Indicator>})

export const Collapsible = Collapsibles.Root
export const CollapsibleTrigger = Collapsibles.CollapsibleTrigger
export const CollapsibleContent = Collapsibles.CollapsibleContent

export const Progress = forwardRef(({className, value, indicatorClassName, ...rest}, ref) => (
  <Progresses.Root ref={ref} className={cn('relative h-2 w-full overflow-hidden rounded-full bg-primary/20', className)} value={value} {...rest}>
    <Progresses.Indicator className={cn('h-full w-full flex-1 bg-primary transition-all', indicatorClassName)} style={{transform: `translateX(-${100 - (value || 0)}%)`}} />
  </Progresses.Root>
))

export const RadioGroup = styled(Radios.Root, 'grid gap-2')
export const RadioGroupItem = styled(Radios.Item,
  `aspect-square h-4 w-4 rounded-full border border-primary text-primary shadow ${FOCUS} ${OFF}`,
  {children: <Radios.Indicator className="flex items-center justify-center"><Circle className="h-3.5 w-3.5 fill-primary" /></Radios.Indicator>})

export const ScrollBar = forwardRef(({className, orientation = 'vertical', ...rest}, ref) => (
  <Areas.ScrollAreaScrollbar ref={ref} orientation={orientation} className={cn('flex touch-none select-none transition-colors', orientation === 'vertical'
    ? 'h-full w-2.5 border-l border-l-transparent p-[1px]' : 'h-2.5 flex-col border-t border-t-transparent p-[1px]', className)} {...rest}>
    <Areas.ScrollAreaThumb className="relative flex-1 rounded-full bg-border" />
  </Areas.ScrollAreaScrollbar>
))
export const ScrollArea = forwardRef(({className, children, ...rest}, ref) => (
  <Areas.Root ref={ref} className={cn('relative overflow-hidden', className)} {...rest}>
    <Areas.Viewport className="h-full w-full rounded-[inherit]">{children}</Areas.Viewport><ScrollBar /><Areas.Corner />
  </Areas.Root>
))

export const Select = Selects.Root
export const SelectGroup = Selects.Group
export const SelectValue = Selects.Value
export const SelectTrigger = forwardRef(({className, children, ...rest}, ref) => (
  <Selects.Trigger ref={ref} className={cn(`flex h-9 w-full items-center justify-between whitespace-nowrap rounded-md border border-input bg-transparent px-3 py-2 text-sm shadow-sm data-[placeholder]:text-muted-foreground focus:outline-none focus:ring-1 focus:ring-ring ${OFF} [&>span]:line-clamp-1`, className)} {...rest}>
    {children}<Selects.Icon asChild><ChevronDown className="h-4 w-4 opacity-50" /></Selects.Icon>
  </Selects.Trigger>
))
const ARROW = 'flex cursor-default items-center justify-center py-1'
export const SelectScrollUpButton = styled(Selects.ScrollUpButton, ARROW, {children: <ChevronUp className="h-4 w-4" />})
export const SelectScrollDownButton = styled(Selects.ScrollDownButton, ARROW, {children: <ChevronDown className="h-4 w-4" />})
export const SelectContent = forwardRef(({className, children, position = 'popper', ...rest}, ref) => (
  <Selects.Portal>
    <Selects.Content ref={ref} position={position} className={cn('relative z-50 max-h-96 min-w-[8rem] overflow-hidden rounded-md border bg-popover text-popover-foreground shadow-md', position === 'popper' && 'data-[side=bottom]:translate-y-1 data-[side=top]:-translate-y-1', className)} {...rest}>
      <SelectScrollUpButton />
      <Selects.Viewport className={cn('p-1', position === 'popper' && 'h-[var(--radix-select-trigger-height)] w-full min-w-[var(--radix-select-trigger-width)]')}>{children}</Selects.Viewport>
      <SelectScrollDownButton />
    </Selects.Content>
  </Selects.Portal>
))
export const SelectLabel = styled(Selects.Label, 'px-2 py-1.5 text-sm font-semibold')
export const SelectItem = forwardRef(({className, children, ...rest}, ref) => (
  <Selects.Item ref={ref} className={cn('relative flex w-full cursor-default select-none items-center rounded-sm py-1.5 pl-2 pr-8 text-sm outline-none focus:bg-accent focus:text-accent-foreground data-[disabled]:pointer-events-none data-[disabled]:opacity-50', className)} {...rest}>
    <span className="absolute right-2 flex h-3.5 w-3.5 items-center justify-center"><Selects.ItemIndicator><Check className="h-4 w-4" /></Selects.ItemIndicator></span>
    <Selects.ItemText>{children}</Selects.ItemText>
  </Selects.Item>
))
export const SelectSeparator = styled(Selects.Separator, '-mx-1 my-1 h-px bg-muted')

export const Separator = forwardRef(({className, orientation = 'horizontal', decorative = true, ...rest}, ref) => (
  <Separators.Root ref={ref} decorative={decorative} orientation={orientation} className={cn('shrink-0 bg-border', orientation === 'horizontal' ? 'h-[1px] w-full' : 'h-full w-[1px]', className)} {...rest} />
))

export const Slider = forwardRef(({className, ...rest}, ref) => (
  <Sliders.Root ref={ref} className={cn('relative flex w-full touch-none select-none items-center', className)} {...rest}>
    <Sliders.Track className="relative h-1.5 w-full grow overflow-hidden rounded-full bg-primary/20"><Sliders.Range className="absolute h-full bg-primary" /></Sliders.Track>
    {(rest.value ?? rest.defaultValue ?? [0]).map((_, number) => (
      <Sliders.Thumb key={number} className={`block h-4 w-4 rounded-full border border-primary/50 bg-background shadow transition-colors ${FOCUS}`} />
    ))}
  </Sliders.Root>
))

export const Switch = styled(Switches.Root,
  `peer inline-flex h-5 w-9 shrink-0 cursor-pointer items-center rounded-full border-2 border-transparent shadow-sm transition-colors ${FOCUS} ${OFF} data-[state=checked]:bg-primary data-[state=unchecked]:bg-input`,
  {children: <Switches.Thumb className="pointer-events-none block h-4 w-4 rounded-full bg-background shadow-lg ring-0 transition-transform data-[state=checked]:translate-x-4 data-[state=unchecked]:translate-x-0" />})

export const Tabs = TabsPrimitive.Root
export const TabsList = styled(TabsPrimitive.List, 'inline-flex h-9 items-center justify-center rounded-lg bg-muted p-1 text-muted-foreground')
export const TabsTrigger = styled(TabsPrimitive.Trigger, `inline-flex items-center justify-center whitespace-nowrap rounded-md px-3 py-1 text-sm font-medium transition-all ${FOCUS} disabled:pointer-events-none disabled:opacity-50 data-[state=active]:bg-background data-[state=active]:text-foreground data-[state=active]:shadow`)
export const TabsContent = styled(TabsPrimitive.Content, `mt-2 ${FOCUS}`)

export const toggleVariants = cva(
  `inline-flex items-center justify-center gap-2 rounded-md text-sm font-medium transition-colors hover:bg-muted hover:text-muted-foreground ${FOCUS} disabled:pointer-events-none disabled:opacity-50 data-[state=on]:bg-accent data-[state=on]:text-accent-foreground [&_svg]:size-4 [&_svg]:shrink-0`,
  {
    variants: {
      variant: {default: 'bg-transparent', outline: 'border border-input bg-transparent shadow-sm hover:bg-accent hover:text-accent-foreground'},
      size: {default: 'h-9 px-2 min-w-9', sm: 'h-8 px-1.5 min-w-8', lg: 'h-10 px-2.5 min-w-10'},
    },
    defaultVariants: {variant: 'default', size: 'default'},
  })
export const Toggle = varied(Toggles.Root, toggleVariants, ['variant', 'size'])
const GroupContext = createContext({})
export const ToggleGroup = ({className, variant, size, children, ...rest}) => (
  <Groups.Root className={cn('flex items-center justify-center gap-1', className)} {...rest}>
    <GroupContext.Provider value={{variant, size}}>{children}</GroupContext.Provider>
  </Groups.Root>
)
export const ToggleGroupItem = ({className, variant, size, ...rest}) => {
  const group = useContext(GroupContext)
  return <Groups.Item className={cn(toggleVariants({variant: group.variant ?? variant, size: group.size ?? size}), className)} {...rest} />
}
