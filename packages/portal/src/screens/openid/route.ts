import type { ScreenRoute } from '../../routes/screen-route.ts'
import './answer.ts'

export const routes: ScreenRoute[] = [{ path: '/openid', public: true, load: () => import('./openid-screen.tsx') }]
