import {Drawer as Root} from 'vaul'
import {cn, styled} from './utils.jsx'

export const Drawer = ({shouldScaleBackground = true, ...rest}) => <Root.Root shouldScaleBackground={shouldScaleBackground} {...rest} />
export const {Trigger: DrawerTrigger, Portal: DrawerPortal, Close: DrawerClose} = Root
export const DrawerOverlay = styled(Root.Overlay, 'fixed inset-0 z-50 bg-black/80')
export const DrawerContent = ({className, children, ...rest}) => (
  <DrawerPortal>
    <DrawerOverlay />
    <Root.Content className={cn('fixed inset-x-0 bottom-0 z-50 mt-24 flex h-auto flex-col rounded-t-[10px] border bg-background', className)} {...rest}>
      <div className="mx-auto mt-4 h-2 w-[100px] rounded-full bg-muted" />{children}
    </Root.Content>
  </DrawerPortal>
)
export const DrawerHeader = styled('div', 'grid gap-1.5 p-4 text-center sm:text-left')
export const DrawerFooter = styled('div', 'mt-auto flex flex-col gap-2 p-4')
export const DrawerTitle = styled(Root.Title, 'text-lg font-semibold leading-none tracking-tight')
export const DrawerDescription = styled(Root.Description, 'text-sm text-muted-foreground')
