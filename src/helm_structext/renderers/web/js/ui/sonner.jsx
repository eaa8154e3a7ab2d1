import {Toaster as Root, toast} from 'sonner'

export {toast}
export const Toaster = props => <Root className="toaster group" {...props} />
