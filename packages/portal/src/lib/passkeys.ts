import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'

const ip = /^(\d+\.){3}\d+$|^\[/

/** WebAuthn needs https or localhost, and a host name instead of an IP address. */
export const passkeysWork = (): boolean =>
  isSecureContext && !ip.test(location.hostname) && typeof PublicKeyCredential === 'function'

/** An authenticator's answer as WebAuthn level 3 JSON; the service verifies it. */
export type PasskeyAnswer = { [member: string]: unknown; id: string; rawId: string; type: string }

/** The options come from the service. */
export const makePasskey = async (options: unknown): Promise<PasskeyAnswer> => ({
  ...(await startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON })),
})

/** The options come from the service. */
export const signWithPasskey = async (options: unknown): Promise<PasskeyAnswer> => ({
  ...(await startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON })),
})
