/**
 * Coffer cannot start or go on here, and only the operator can change that. The message is one whole sentence to show
 * as it is, without a stack; it says what to do.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
