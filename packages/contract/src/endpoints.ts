import { chainEndpoints } from './chains.ts'
import { creditsEndpoints } from './credits.ts'
import { portfolioEndpoints } from './portfolio-endpoints.ts'

/** Every endpoint of the service: one line a resource. Server, OpenAPI, SDK and the conformance suite all read this table. */
export const endpoints = {
  ...chainEndpoints,
  ...creditsEndpoints,
  ...portfolioEndpoints,
}
