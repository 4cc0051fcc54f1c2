// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IPairFactory {
    function getPair(address a, address b) external view returns (address);
}

interface IPoolFactory {
    function getPool(address a, address b, uint24 fee) external view returns (address);
}

interface IPair {
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1);
}

/// Only the leading results are declared: forks differ in the others.
interface IPool {
    function slot0() external view returns (uint160 sqrtPriceX96, int24 tick);
    function liquidity() external view returns (uint128);
    function tickSpacing() external view returns (int24);
    function tickBitmap(int16 word) external view returns (uint256);
    function ticks(int24 tick) external view returns (uint128 liquidityGross, int128 liquidityNet);
    function observe(uint32[] calldata secondsAgos) external view returns (int56[] memory tickCumulatives);
}

interface IToken {
    function balanceOf(address owner) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

/// Finds the pools of tokens against the tokens that others are traded in, and what a sale into each of them would meet.
/// It calls factories, their pools and the quote tokens, never the tokens that are asked about: those may be anybody's. Only
/// where a `SaleProbe` stands at the owner's address does that send a token to its pool, with gas of its own, undone at once.
contract PoolLens {
    /// Of a pair, the two reserves; of a v3 pool, `quoteReserve` is its balance and the rest says where its price stands.
    /// `ticks` are those that a sale of the token crosses next, with the net liquidity of each; complete up to `knownTo`.
    /// An owner's own share of a pair is taken off its reserves. `held` and `arrived` are the probe's, zero without it.
    struct Pool {
        uint256 held;
        uint256 arrived;
        address at;
        uint256 token;
        uint256 quote;
        uint256 factory;
        uint24 fee;
        uint256 tokenReserve;
        uint256 quoteReserve;
        uint160 sqrtPriceX96;
        uint128 liquidity;
        int24 tick;
        bool hasMean;
        int24 meanTick;
        int24 knownTo;
        int24[] ticks;
        int128[] nets;
    }

    uint256 private constant MAX_TICKS = 24;
    uint256 private constant MAX_WORDS = 8;
    uint32 private constant MEAN_SECONDS = 1800;
    uint256 private constant PROBE_GAS = 600_000;
    uint256 private constant ANSWERED = uint256(keccak256("SaleProbe"));

    /// `owner`: zero, or whose share of pools is his own. `probed`: by token, whether the owner's sale of it is to be shown.
    struct Seller {
        address owner;
        bool[] probed;
    }

    /// `factories`: a word each, the address and below it up to four fees of 24 bits; without any fee a factory of v2 pairs,
    /// else of v3 pools, one a fee.
    function pools(
        address[] calldata tokens,
        address[] calldata quotes,
        uint256[] calldata factories,
        Seller calldata seller
    ) external returns (Pool[] memory found) {
        found = find(tokens, quotes, factories);
        if (seller.owner != address(0)) settle(found, tokens, factories, seller);
    }

    function find(address[] calldata tokens, address[] calldata quotes, uint256[] calldata factories)
        private
        view
        returns (Pool[] memory found)
    {
        found = new Pool[](4 * factories.length * tokens.length * quotes.length);
        uint256 count = 0;
        for (uint256 t = 0; t < tokens.length; t++) {
            for (uint256 q = 0; q < quotes.length; q++) {
                if (tokens[t] == quotes[q]) continue;
                for (uint256 f = 0; f < factories.length; f++) {
                    if (addressOf(factories[f]).code.length == 0) continue;
                    uint256 before = count;
                    count = addPools(found, count, tokens[t], quotes[q], factories[f]);
                    for (uint256 i = before; i < count; i++) {
                        found[i].token = t;
                        found[i].quote = q;
                        found[i].factory = f;
                    }
                }
            }
        }
        assembly {
            mstore(found, count)
        }
    }

    function addPools(
        Pool[] memory found,
        uint256 count,
        address token,
        address quote,
        uint256 factory
    ) private view returns (uint256) {
        if (isOfPairs(factory)) {
            address pair = IPairFactory(addressOf(factory)).getPair(token, quote);
            if (pair != address(0) && readPair(found[count], pair, token < quote)) count++;
            return count;
        }
        for (uint256 fees = uint96(factory); fees > 0; fees >>= 24) {
            address pool = IPoolFactory(addressOf(factory)).getPool(token, quote, uint24(fees));
            if (pool == address(0)) continue;
            if (readPool(found[count], pool, token < quote, quote)) {
                found[count].fee = uint24(fees);
                count++;
            }
        }
        return count;
    }

    function addressOf(uint256 factory) private pure returns (address) {
        return address(uint160(factory >> 96));
    }

    function isOfPairs(uint256 factory) private pure returns (bool) {
        return uint96(factory) == 0;
    }

    function readPair(Pool memory p, address pair, bool tokenIs0) private view returns (bool) {
        (uint112 reserve0, uint112 reserve1) = IPair(pair).getReserves();
        (p.tokenReserve, p.quoteReserve) = tokenIs0 ? (reserve0, reserve1) : (reserve1, reserve0);
        p.at = pair;
        return reserve0 != 0 && reserve1 != 0;
    }

    /// What the pools are to the seller: without what he owns of pairs, and with what of his tokens arrives at them.
    function settle(
        Pool[] memory found,
        address[] calldata tokens,
        uint256[] calldata factories,
        Seller calldata seller
    ) private {
        for (uint256 i = 0; i < found.length; i++) {
            Pool memory p = found[i];
            if (isOfPairs(factories[p.factory])) takeOwn(p, seller.owner);
            if (seller.probed[p.token]) probe(p, seller.owner, tokens[p.token]);
        }
    }

    function takeOwn(Pool memory p, address owner) private view {
        uint256 own = IToken(p.at).balanceOf(owner);
        if (own == 0) return;
        uint256 supply = IToken(p.at).totalSupply();
        p.tokenReserve = p.tokenReserve * (supply - own) / supply;
        p.quoteReserve = p.quoteReserve * (supply - own) / supply;
    }

    /// Without the probe an owner's address has no code, or another one, and answers otherwise.
    function probe(Pool memory p, address owner, address token) private {
        bytes memory data = abi.encodeWithSignature("arrives(address,address)", token, p.at);
        uint256 answered = ANSWERED;
        assembly {
            let at := mload(0x40)
            let ok := call(PROBE_GAS, owner, 0, add(data, 32), mload(data), at, 96)
            if and(iszero(ok), and(eq(returndatasize(), 96), eq(mload(at), answered))) {
                mstore(p, mload(add(at, 32)))
                mstore(add(p, 32), mload(add(at, 64)))
            }
        }
    }

    function readPool(Pool memory p, address pool, bool tokenIs0, address quote) private view returns (bool) {
        p.at = pool;
        p.liquidity = IPool(pool).liquidity();
        if (p.liquidity == 0) return false;
        p.quoteReserve = IToken(quote).balanceOf(pool);
        (p.sqrtPriceX96, p.tick) = IPool(pool).slot0();
        readMean(p, pool);
        walk(p, pool, tokenIs0);
        return true;
    }

    /// A pool that has not kept observations for as long refuses.
    function readMean(Pool memory p, address pool) private view {
        uint32[] memory ago = new uint32[](2);
        ago[0] = MEAN_SECONDS;
        try IPool(pool).observe(ago) returns (int56[] memory cumulatives) {
            p.hasMean = true;
            p.meanTick = int24((cumulatives[1] - cumulatives[0]) / int56(uint56(MEAN_SECONDS)));
        } catch {}
    }

    /// A sale of token0 lowers the price: it meets the ticks at and below the current one. A sale of token1 those above.
    function walk(Pool memory p, address pool, bool down) private view {
        int24 spacing = IPool(pool).tickSpacing();
        int24 place = p.tick / spacing;
        if (p.tick < 0 && p.tick % spacing != 0) place--;
        if (!down) place++;
        int24[] memory found = new int24[](MAX_TICKS);
        int128[] memory nets = new int128[](MAX_TICKS);
        uint256 count = 0;
        int24 word = place >> 8;
        uint256 bit = uint256(uint24(place)) & 0xff;
        uint256 mask = down ? type(uint256).max >> (255 - bit) : type(uint256).max << bit;
        for (uint256 w = 0; w < MAX_WORDS && count < MAX_TICKS; w++) {
            uint256 bits = IPool(pool).tickBitmap(int16(word)) & mask;
            while (bits != 0 && count < MAX_TICKS) {
                uint256 at = highest(down ? bits : bits & (~bits + 1));
                bits &= ~(uint256(1) << at);
                int24 tick = (word * 256 + int24(uint24(at))) * spacing;
                (, int128 net) = IPool(pool).ticks(tick);
                found[count] = tick;
                nets[count] = net;
                count++;
            }
            p.knownTo = count == MAX_TICKS
                ? found[count - 1]
                : (down ? word * 256 : word * 256 + 255) * spacing;
            word = down ? word - 1 : word + 1;
            mask = type(uint256).max;
        }
        assembly {
            mstore(found, count)
            mstore(nets, count)
        }
        p.ticks = found;
        p.nets = nets;
    }

    function highest(uint256 x) private pure returns (uint256 bit) {
        for (uint256 step = 128; step > 0; step >>= 1) {
            if (x >> step != 0) {
                x >>= step;
                bit += step;
            }
        }
    }
}
