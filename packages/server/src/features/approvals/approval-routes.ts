import type { approvalEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { IconUrls } from '../icons/icon-urls.ts'
import type { ApprovalViews } from './approval-views.ts'

export function approvalRoutes({
  views,
  iconUrls,
}: {
  views: ApprovalViews
  iconUrls(origin: string): IconUrls
}): Handlers<ReturnType<typeof approvalEndpoints>> {
  return {
    listApprovals: {
      prepare: ({ params, query }) => views.check({ ...params, ...query }),
      handle: ({ params, query, origin }) => views.list({ ...params, ...query }, iconUrls(origin)),
    },
  }
}
