import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [
  { path: '/a/$account/webhooks', load: () => import('./webhooks-screen.tsx'), reads: ['/v1/webhooks', '/v1/watches'] },
]
