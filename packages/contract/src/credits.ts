import { z } from 'zod'
import { defineEndpoints } from './endpoint.ts'

export const creditsEndpoints = defineEndpoints({
  getCredits: {
    method: 'GET',
    path: '/v1/credits',
    summary: 'Get credits',
    description:
      'Returns the available credits as a plain number. Credits reserved by running calls are already subtracted.',
    tag: 'Credits',
    status: 200,
    cost: 0,
    bucket: 'default',
    requires: 'key',
    errors: 'titled',
    essential: true,
    response: z.number(),
  },
})
