/** The message is shown unchanged and says what to do. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
