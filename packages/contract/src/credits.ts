import { z } from 'zod'
import { defineEndpoints } from './endpoint.ts'

export const creditsEndpoints = defineEndpoints({
  getCredits: {
    method: 'GET',
    path: '/v1/credits',
    summary: 'Get credits',
    description: 'Credits that are left, as a bare number; what calls under way hold is taken off already.',
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
