import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'

const ip = /^(\d+\.){3}\d+$|^\[/

/** WebAuthn needs https or localhost, and a host that is a name. */
export const passkeysWork = (): boolean =>
  isSecureContext && !ip.test(location.hostname) && typeof PublicKeyCredential === 'function'

/** Makes a passkey; the options are the service's. */
export const makePasskey = (options: unknown): Promise<unknown> =>
  startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON })

/** Signs with a passkey; the options are the service's. */
export const signWithPasskey = (options: unknown): Promise<unknown> =>
  startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON })
