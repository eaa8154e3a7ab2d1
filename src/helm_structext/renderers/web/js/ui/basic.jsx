// Components that are elements with classes.

import * as LabelPrimitive from '@radix-ui/react-label'
import {Slot} from '@radix-ui/react-slot'
import {cva} from 'class-variance-authority'
import {ChevronDown, ChevronLeft, ChevronRight, Loader2, MoreHorizontal} from 'lucide-react'
import {cn, slotted, styled, varied} from './utils.jsx'

const FOCUS = 'focus-visible:outline-none focus-visible:ring-1 focus-visible:ring-ring'
const FIELD = `flex w-full rounded-md border border-input bg-transparent px-3 shadow-sm placeholder:text-muted-foreground ${FOCUS} disabled:cursor-not-allowed disabled:opacity-50`

export const buttonVariants = cva(
  `inline-flex items-center justify-center gap-2 whitespace-nowrap rounded-md text-sm font-medium transition-colors ${FOCUS} disabled:pointer-events-none disabled:opacity-50 [&_svg]:pointer-events-none [&_svg]:size-4 [&_svg]:shrink-0`,
  {
    variants: {
      variant: {
        default: 'bg-primary text-primary-foreground shadow hover:bg-primary/90',
        destructive: 'bg-destructive text-destructive-foreground shadow-sm hover:bg-destructive/90',
        outline: 'border border-input bg-background shadow-sm hover:bg-accent hover:text-accent-foreground',
        secondary: 'bg-secondary text-secondary-foreground shadow-sm hover:bg-secondary/80',
        ghost: 'hover:bg-accent hover:text-accent-foreground',
        link: 'text-primary underline-offset-4 hover:underline',
      },
      size: {
        default: 'h-9 px-4 py-2', sm: 'h-8 rounded-md px-3 text-xs', lg: 'h-10 rounded-md px-8', icon: 'h-9 w-9',
        'icon-sm': 'h-8 w-8', 'icon-lg': 'h-10 w-10',
      },
    },
    defaultVariants: {variant: 'default', size: 'default'},
  })
export const Button = varied(slotted('button', Slot), buttonVariants, ['variant', 'size'])

export const badgeVariants = cva(
  'inline-flex items-center rounded-md border px-2.5 py-0.5 text-xs font-semibold transition-colors',
  {
    variants: {variant: {
      default: 'border-transparent bg-primary text-primary-foreground shadow',
      secondary: 'border-transparent bg-secondary text-secondary-foreground',
      destructive: 'border-transparent bg-destructive text-destructive-foreground shadow',
      outline: 'text-foreground',
    }},
    defaultVariants: {variant: 'default'},
  })
export const Badge = varied(slotted('div', Slot), badgeVariants, ['variant'])

const alertVariants = cva(
  'relative w-full rounded-lg border px-4 py-3 text-sm [&>svg+div]:translate-y-[-3px] [&>svg]:absolute [&>svg]:left-4 [&>svg]:top-4 [&>svg]:text-foreground [&>svg~*]:pl-7',
  {
    variants: {variant: {
      default: 'bg-background text-foreground',
      destructive: 'border-destructive/50 text-destructive [&>svg]:text-destructive',
    }},
    defaultVariants: {variant: 'default'},
  })
export const Alert = varied('div', alertVariants, ['variant'], {role: 'alert'})
export const AlertTitle = styled('h5', 'mb-1 font-medium leading-none tracking-tight')
export const AlertDescription = styled('div', 'text-sm [&_p]:leading-relaxed')

export const Card = styled('div', 'rounded-xl border bg-card text-card-foreground shadow')
export const CardHeader = styled('div', 'flex flex-col space-y-1.5 p-6')
export const CardTitle = styled('div', 'font-semibold leading-none tracking-tight')
export const CardDescription = styled('div', 'text-sm text-muted-foreground')
export const CardAction = styled('div', 'self-end')
export const CardContent = styled('div', 'p-6 pt-0')
export const CardFooter = styled('div', 'flex items-center p-6 pt-0')

export const Input = styled('input', `${FIELD} h-9 py-1 text-sm file:border-0 file:bg-transparent file:text-sm file:font-medium`)
export const Textarea = styled('textarea', `${FIELD} min-h-[60px] py-2 text-sm`)
export const Label = styled(LabelPrimitive.Root, 'text-sm font-medium leading-none peer-disabled:cursor-not-allowed peer-disabled:opacity-70')
export const Skeleton = styled('div', 'animate-pulse rounded-md bg-primary/10')
export const Spinner = styled(Loader2, 'size-4 animate-spin', {role: 'status', 'aria-label': 'Loading'})
export const Kbd = styled('kbd', 'inline-flex h-5 min-w-5 items-center justify-center gap-1 rounded-sm bg-muted px-1 text-xs font-medium text-muted-foreground')
export const KbdGroup = styled('kbd', 'inline-flex items-center gap-1')

export const Table = ({className, ...rest}) => (
  <div className="relative w-full overflow-auto"><table className={cn('w-full caption-bottom text-sm', className)} {...rest} /></div>
)
export const TableHeader = styled('thead', '[&_tr]:border-b')
export const TableBody = styled('tbody', '[&_tr:last-child]:border-0')
export const TableFooter = styled('tfoot', 'border-t bg-muted/50 font-medium [&>tr]:last:border-b-0')
export const TableRow = styled('tr', 'border-b transition-colors hover:bg-muted/50 data-[state=selected]:bg-muted')
export const TableHead = styled('th', 'h-10 px-2 text-left align-middle font-medium text-muted-foreground')
export const TableCell = styled('td', 'p-2 align-middle')
export const TableCaption = styled('caption', 'mt-4 text-sm text-muted-foreground')

export const Breadcrumb = styled('nav', '', {'aria-label': 'breadcrumb'})
export const BreadcrumbList = styled('ol', 'flex flex-wrap items-center gap-1.5 break-words text-sm text-muted-foreground sm:gap-2.5')
export const BreadcrumbItem = styled('li', 'inline-flex items-center gap-1.5')
export const BreadcrumbLink = styled(slotted('a', Slot), 'transition-colors hover:text-foreground')
export const BreadcrumbPage = styled('span', 'font-normal text-foreground', {role: 'link', 'aria-current': 'page'})
export const BreadcrumbSeparator = styled('li', '[&>svg]:h-3.5 [&>svg]:w-3.5', {role: 'presentation', children: <ChevronRight />})
export const BreadcrumbEllipsis = styled('span', 'flex h-9 w-9 items-center justify-center', {children: <MoreHorizontal className="h-4 w-4" />})

export const Pagination = styled('nav', 'mx-auto flex w-full justify-center', {'aria-label': 'pagination'})
export const PaginationContent = styled('ul', 'flex flex-row items-center gap-1')
export const PaginationItem = styled('li', '')
export const PaginationLink = ({className, isActive, size = 'icon', ...rest}) =>
  <a aria-current={isActive ? 'page' : undefined} className={cn(buttonVariants({variant: isActive ? 'outline' : 'ghost', size}), className)} {...rest} />
export const PaginationPrevious = props => <PaginationLink size="default" {...props}><ChevronLeft className="h-4 w-4" /><span>Previous</span></PaginationLink>
export const PaginationNext = props => <PaginationLink size="default" {...props}><span>Next</span><ChevronRight className="h-4 w-4" /></PaginationLink>
export const PaginationEllipsis = BreadcrumbEllipsis

export const ButtonGroup = styled('div', 'flex w-fit items-stretch [&>*:not(:first-child)]:rounded-l-none [&>*:not(:first-child)]:border-l-0 [&>*:not(:last-child)]:rounded-r-none', {role: 'group'})
export const ButtonGroupText = styled('div', 'flex items-center gap-2 rounded-md border bg-muted px-4 text-sm font-medium shadow-sm')
export const ButtonGroupSeparator = styled('div', 'w-px self-stretch bg-input')

export const InputGroup = styled('div', 'flex h-9 w-full items-center rounded-md border border-input shadow-sm [&_input]:border-0 [&_input]:shadow-none', {role: 'group'})
export const InputGroupAddon = styled('div', 'flex items-center gap-2 px-3 text-sm font-medium text-muted-foreground [&>svg]:size-4')
export const InputGroupText = styled('span', 'flex items-center gap-2 text-sm text-muted-foreground')
export const InputGroupButton = styled(Button, 'h-7 px-2 shadow-none', {variant: 'ghost'})
export const InputGroupInput = styled(Input, 'flex-1 border-0 shadow-none')
export const InputGroupTextarea = styled(Textarea, 'flex-1 resize-none border-0 shadow-none')

export const NativeSelect = ({className, ...rest}) => (
  <div className="relative w-fit">
    <select className={cn(FIELD, 'h-9 appearance-none py-1 pr-9 text-sm', className)} {...rest} />
    <ChevronDown className="pointer-events-none absolute right-3 top-2.5 size-4 opacity-50" />
  </div>
)
export const NativeSelectOption = styled('option', '')
export const NativeSelectOptGroup = styled('optgroup', '')

export const Empty = styled('div', 'flex min-w-0 flex-1 flex-col items-center justify-center gap-6 rounded-lg border-dashed p-6 text-center md:p-12')
export const EmptyHeader = styled('div', 'flex max-w-sm flex-col items-center gap-2 text-center')
export const EmptyMedia = varied('div', cva('mb-2 flex shrink-0 items-center justify-center', {
  variants: {variant: {default: 'bg-transparent', icon: 'size-10 rounded-lg bg-muted text-foreground [&_svg]:size-6'}}, defaultVariants: {variant: 'default'},
}), ['variant'])
export const EmptyTitle = styled('div', 'text-lg font-medium tracking-tight')
export const EmptyDescription = styled('div', 'text-sm text-muted-foreground')
export const EmptyContent = styled('div', 'flex w-full max-w-sm flex-col items-center gap-4 text-sm')

export const Item = varied(slotted('div', Slot), cva('flex flex-wrap items-center gap-4 rounded-md border border-transparent p-4 text-sm', {
  variants: {variant: {default: '', outline: 'border-border', muted: 'bg-muted/50'}, size: {default: '', sm: 'gap-2.5 px-4 py-3'}},
  defaultVariants: {variant: 'default', size: 'default'},
}), ['variant', 'size'])
export const ItemGroup = styled('div', 'flex flex-col', {role: 'list'})
export const ItemMedia = styled('div', 'flex shrink-0 items-center justify-center gap-2 [&_svg]:size-4')
export const ItemContent = styled('div', 'flex flex-1 flex-col gap-1')
export const ItemTitle = styled('div', 'flex w-fit items-center gap-2 text-sm font-medium leading-snug')
export const ItemDescription = styled('p', 'text-sm text-muted-foreground')
export const ItemActions = styled('div', 'flex items-center gap-2')
export const ItemHeader = styled('div', 'flex basis-full items-center justify-between gap-2')
export const ItemFooter = ItemHeader
export const ItemSeparator = styled('div', 'h-px w-full bg-border')

export const FieldSet = styled('fieldset', 'flex flex-col gap-6')
export const FieldLegend = styled('legend', 'mb-3 text-base font-medium')
export const FieldGroup = styled('div', 'flex w-full flex-col gap-7')
export const Field = varied('div', cva('flex w-full gap-3', {
  variants: {orientation: {vertical: 'flex-col', horizontal: 'flex-row items-center', responsive: 'flex-col md:flex-row'}},
  defaultVariants: {orientation: 'vertical'},
}), ['orientation'], {role: 'group'})
export const FieldContent = styled('div', 'flex flex-1 flex-col gap-1.5 leading-snug')
export const FieldLabel = Label
export const FieldTitle = styled('div', 'flex w-fit items-center gap-2 text-sm font-medium')
export const FieldDescription = styled('p', 'text-sm text-muted-foreground')
export const FieldSeparator = styled('div', 'h-px w-full bg-border')
export const FieldError = styled('div', 'text-sm text-destructive', {role: 'alert'})
