export {
  type Bucket,
  defineEndpoints,
  type Endpoint,
  type RequestOf,
  type Requirement,
  type ResponseOf,
} from './endpoint.ts'
export { type ErrorStyle, Failure, type FailureCode, type FailureExtras, failures } from './errors.ts'
