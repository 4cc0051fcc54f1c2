/**
 * ISO 4217 codes of the money that exchanges keep. Codes that are better known as a coin's symbol (MNT, ALL, TOP) are left
 * out.
 */
const FIAT: ReadonlySet<string> = new Set(
  [
    'AED ARS AUD BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP GHS HKD HUF IDR ILS INR JPY KES KRW KWD KZT MXN MYR',
    'NGN NOK NZD PEN PHP PKR PLN QAR RON SAR SEK SGD THB TRY TWD UAH USD UZS VND ZAR',
  ].flatMap((codes) => codes.split(' ')),
)

/** Whether a symbol, in upper case, is money of a state. */
export function isFiat(symbol: string): boolean {
  return FIAT.has(symbol)
}
