import { z } from 'zod'
import { defineEndpoints } from './endpoint.ts'

export const creditsEndpoints = defineEndpoints({
  getCredits: {
    method: 'GET',
    path: '/v1/credits',
    summary: 'Credits that are left, holds already taken off',
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
