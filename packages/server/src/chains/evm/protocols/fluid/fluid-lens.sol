// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface Factory {
    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256);
    function getVaultAddress(uint256 vaultId) external view returns (address);
}

interface Vault {
    function updateExchangePrices(uint256 config)
        external
        view
        returns (uint256 liquiditySupply, uint256 liquidityBorrow, uint256 supply, uint256 borrow);
    function fetchLatestPosition(int256 tick, uint256 tickId, uint256 debt, uint256 tickData)
        external
        view
        returns (int256 newTick, uint256 newDebt, uint256 collateral, uint256 branchId, uint256 branch);
}

interface Stored {
    function readFromStorage(bytes32 slot) external view returns (uint256);
}

interface Oracle {
    function getExchangeRateLiquidate() external view returns (uint256);
    function getExchangeRate() external view returns (uint256);
}

interface Dex {
    function withdrawPerfect(uint256 shares, uint256 min0, uint256 min1, address to) external returns (uint256, uint256);
    function paybackPerfect(uint256 shares, uint256 max0, uint256 max1, bool estimate)
        external
        payable
        returns (uint256, uint256);
}

interface SmartToken {
    function getUpdateExchangePrice() external view returns (uint256 price, bool isActive);
    function DEX() external view returns (address);
}

/**
 * Positions of Fluid's vaults as closing them now would pay and cost, to the unit. It is never deployed: its runtime code
 * travels with the call. Layouts of storage are those of the vaults, in which all four types agree.
 */
contract FluidLens {
    /// Of collateral or of debt; token1 is zero where the vault takes a single token.
    struct Side {
        address token0;
        address token1;
        uint256 amount0;
        uint256 amount1;
    }

    /// health: what the debt may be before a liquidation ÷ what it is, 18 decimals; the maximum if there is none.
    struct Position {
        uint256 tokenId;
        uint256 vaultId;
        Side supplied;
        Side borrowed;
        uint256 health;
    }

    /// What `constantsView` says.
    struct Facts {
        address supply;
        address borrow;
        address deployer;
        bool isOld;
    }

    /// In the vault's raw units; ratio: debt ÷ collateral with 96 fractional bits, as liquidations see it.
    struct Raw {
        uint256 collateral;
        uint256 debt;
        uint256 ratio;
    }

    uint256 private constant PRICE_UNIT = 1e12;
    /// Oracles of pools ask several others.
    uint256 private constant ORACLE_GAS = 2_000_000;
    uint256 private constant OLD_FACTS_BYTES = 13 * 32;
    uint256 private constant FACTS_BYTES = 18 * 32;
    /// The receiver for which a pool tells what it would pay instead of paying.
    address private constant DEAD = 0x000000000000000000000000000000000000dEaD;
    /// FluidDexPerfectLiquidityOutput(uint256,uint256): the answer in this case, and for an estimate of a repayment.
    bytes4 private constant ESTIMATE = bytes4(keccak256("FluidDexPerfectLiquidityOutput(uint256,uint256)"));
    /// 2^128 ÷ 1.0015^(2^n), 16 bytes each, n from 0 to 14.
    bytes private constant FACTORS =
        hex"ff9dd7de423466c20352b1246ce4856fff3bd55f4488ad277531fa1c725a66d0fe78410fd6498b73cb96a6917f853259"
        hex"fcf2d9987c9be178ad5bfeffaa123273f9ef02c4529258b057769680fc6601b3f402d288133a85a17784a411f7aba082"
        hex"e895615b5beb6386553757b0352bda90d34f17a00ffa00a8309940a15930391aae6b7961714e20548d88ea5123f9a0ff"
        hex"76d6461f27082d74e0feed3b388c0ca1372a3bfe0745d8b6b19d985d9a8b85bb0be32cbee48979763cf7247dd7bb539d"
        hex"008d4f70c9ff4924dac37612d1e2921e00004e009ae5519380809a02ca7aec770000000017c45e641b6e95dee056ff10";

    /// A page of the wallet's NFTs, empty ones left out; refused: those that could not be read.
    function positions(address factory, address owner, uint256 start, uint256 end)
        external
        returns (Position[] memory found, uint256[] memory refused)
    {
        found = new Position[](end - start);
        refused = new uint256[](end - start);
        uint256 known = 0;
        uint256 unknown = 0;
        for (uint256 i = start; i < end; i++) {
            uint256 tokenId = Factory(factory).tokenOfOwnerByIndex(owner, i);
            try this.position(factory, tokenId) returns (Position memory one) {
                if (one.supplied.token0 != address(0)) found[known++] = one;
            } catch {
                refused[unknown++] = tokenId;
            }
        }
        assembly ("memory-safe") {
            mstore(found, known)
            mstore(refused, unknown)
        }
    }

    /// Without tokens if nothing is left in it.
    function position(address factory, uint256 tokenId) external returns (Position memory one) {
        uint256 vaultId = (stored(factory, keccak256(abi.encode(tokenId, 3))) >> 192) & 0xffffffff;
        address vault = Factory(factory).getVaultAddress(vaultId);
        Raw memory raw = rawOf(vault, tokenId);
        if (raw.collateral == 0 && raw.debt == 0) return one;
        one.tokenId = tokenId;
        one.vaultId = vaultId;
        Facts memory facts = factsOf(vault, one);
        uint256 config = stored(vault, bytes32(uint256(1)));
        (,, uint256 supplyPrice, uint256 borrowPrice) = Vault(vault).updateExchangePrices(config);
        // The vault rounds once more against the owner.
        uint256 supplied = raw.collateral * supplyPrice / PRICE_UNIT;
        pay(facts.supply, one.supplied, supplied > 0 ? supplied - 1 : 0);
        one.health = type(uint256).max;
        if (raw.debt == 0) return one;
        owe(facts.borrow, one.borrowed, raw.debt * borrowPrice / PRICE_UNIT + 1);
        address oracle = facts.isOld ? address(uint160(config >> 96)) : made(facts.deployer, (config >> 92) & 0x3fffffff);
        try this.liquidationRatio{gas: ORACLE_GAS}(oracle, config, supplyPrice, borrowPrice) returns (uint256 most) {
            one.health = most * 1e18 / raw.ratio;
        } catch {}
    }

    /// What a token of smart lending pays for an amount of it, rounded once more against the owner.
    function shares(SmartToken token, uint256 amount) external returns (uint256 amount0, uint256 amount1) {
        (uint256 price,) = token.getUpdateExchangePrice();
        uint256 pooled = amount * price / 1e18;
        return withdrawn(token.DEX(), pooled > 0 ? pooled - 1 : 0);
    }

    /// Collateral and debt as the vault counts them when the owner acts: rounded up where they are owed, after liquidations.
    function rawOf(address vault, uint256 tokenId) private view returns (Raw memory raw) {
        uint256 data = stored(vault, keccak256(abi.encode(tokenId, 3)));
        raw.collateral = whole(data >> 45);
        if (data & 1 == 1 || raw.collateral == 0) return raw;
        int256 tick = int256((data >> 2) & 0x7ffff);
        if (data & 2 == 0) tick = -tick;
        raw.ratio = ratioAt(tick);
        raw.debt = ((raw.ratio * (raw.collateral + (1 << ((data >> 45) & 0xff)))) >> 96) + 1;
        uint256 dust = whole(data >> 109);
        uint256 tickData = stored(vault, keccak256(abi.encode(tick, 5)));
        uint256 tickId = (data >> 21) & 0xffffff;
        if (tickData & 1 == 1 || (tickData >> 1) & 0xffffff > tickId) {
            uint256 branch;
            (tick, raw.debt, raw.collateral,, branch) = Vault(vault).fetchLatestPosition(tick, tickId, raw.debt, tickData);
            // What is left of less than the dust is given up with its collateral.
            if (raw.debt <= dust) return Raw(0, 0, 0);
            uint256 above = ratioAt(tick);
            uint256 below = above * 10000 / 10015;
            raw.ratio = below + (above - below) * ((branch >> 22) & 0x3fffffff) / 0x3fffffff;
        }
        raw.debt -= dust;
    }

    /// The first generation of vaults has no types and a shorter answer.
    function factsOf(address vault, Position memory one) private view returns (Facts memory facts) {
        (bool ok, bytes memory answer) = vault.staticcall(abi.encodeWithSignature("constantsView()"));
        require(ok && (answer.length == OLD_FACTS_BYTES || answer.length == FACTS_BYTES));
        facts.isOld = answer.length == OLD_FACTS_BYTES;
        if (facts.isOld) {
            one.supplied.token0 = addressAt(answer, 4);
            one.borrowed.token0 = addressAt(answer, 5);
            return facts;
        }
        facts.deployer = addressAt(answer, 5);
        facts.supply = addressAt(answer, 6);
        facts.borrow = addressAt(answer, 7);
        one.supplied.token0 = addressAt(answer, 8);
        one.supplied.token1 = addressAt(answer, 9);
        one.borrowed.token0 = addressAt(answer, 10);
        one.borrowed.token1 = addressAt(answer, 11);
    }

    function pay(address dex, Side memory side, uint256 amount) private {
        if (side.token1 == address(0)) side.amount0 = amount;
        else (side.amount0, side.amount1) = withdrawn(dex, amount);
    }

    function owe(address dex, Side memory side, uint256 amount) private {
        if (side.token1 == address(0)) side.amount0 = amount;
        else (side.amount0, side.amount1) = repaid(dex, amount);
    }

    /// What a pool pays for shares of its collateral, in proportion.
    function withdrawn(address dex, uint256 amount) private returns (uint256 amount0, uint256 amount1) {
        if (amount == 0) return (0, 0);
        uint256 asked = inReach(stored(dex, bytes32(uint256(2))), amount);
        (amount0, amount1) = estimate(dex, abi.encodeCall(Dex.withdrawPerfect, (asked, 0, 0, DEAD)));
        if (asked != amount) (amount0, amount1) = (amount0 * amount / asked, amount1 * amount / asked);
    }

    /// What a pool takes for shares of its debt, in proportion.
    function repaid(address dex, uint256 amount) private returns (uint256 amount0, uint256 amount1) {
        uint256 asked = inReach(stored(dex, bytes32(uint256(4))), amount);
        uint256 most = type(uint128).max;
        (amount0, amount1) = estimate(dex, abi.encodeCall(Dex.paybackPerfect, (asked, most, most, true)));
        if (asked == amount) return (amount0, amount1);
        (amount0, amount1) = ((amount0 * amount + asked - 1) / asked, (amount1 * amount + asked - 1) / asked);
    }

    /// A pool refuses less than a billionth of its shares at once, and more than 99.99 % of them.
    function inReach(uint256 total, uint256 amount) private pure returns (uint256) {
        total &= type(uint128).max;
        uint256 most = total * 9999 / 10000;
        uint256 least = total / 1e9;
        if (amount > most) return most;
        return amount < least ? least : amount;
    }

    function estimate(address dex, bytes memory call) private returns (uint256, uint256) {
        (bool ok, bytes memory answer) = dex.call(call);
        require(!ok && answer.length == 68 && bytes4(answer) == ESTIMATE);
        return (wordAt(answer, 4), wordAt(answer, 36));
    }

    /// The ratio of raw debt to raw collateral above which the vault liquidates. Reverts where it has no price.
    function liquidationRatio(address oracle, uint256 config, uint256 supplyPrice, uint256 borrowPrice)
        external
        view
        returns (uint256)
    {
        uint256 price;
        try Oracle(oracle).getExchangeRateLiquidate() returns (uint256 rate) {
            price = rate;
        } catch {
            price = Oracle(oracle).getExchangeRate();
        }
        require(price > 0 && price <= 1e54);
        price = price * supplyPrice / borrowPrice;
        if (price > 1e45) price = 1e45;
        return ((price << 96) / 1e27) * ((config >> 42) & 0x3ff) / 1000;
    }

    /// 1.0015^tick with 96 fractional bits, rounded as the vault does.
    function ratioAt(int256 tick) private pure returns (uint256) {
        uint256 rest = uint256(tick < 0 ? -tick : tick);
        require(rest < 1 << 15);
        bytes memory factors = FACTORS;
        uint256 factor = 1 << 128;
        for (uint256 at = 16; rest > 0; at += 16) {
            if (rest & 1 == 1) factor = (factor * (wordAt(factors, at - 16) >> 128)) >> 128;
            rest >>= 1;
        }
        if (tick < 0) return factor >> 32;
        factor = type(uint256).max / factor;
        return (factor >> 32) + (factor & 0xffffffff == 0 ? 0 : 1);
    }

    /// The contract that another one made, by its number.
    function made(address by, uint256 nonce) private pure returns (address) {
        bytes memory number = abi.encodePacked(uint8(nonce));
        if (nonce > 0xffffff) number = abi.encodePacked(hex"84", uint32(nonce));
        else if (nonce > 0xffff) number = abi.encodePacked(hex"83", uint24(nonce));
        else if (nonce > 0xff) number = abi.encodePacked(hex"82", uint16(nonce));
        else if (nonce > 0x7f) number = abi.encodePacked(hex"81", uint8(nonce));
        bytes32 hash = keccak256(abi.encodePacked(uint8(0xd5 + number.length), uint8(0x94), by, number));
        return address(uint160(uint256(hash)));
    }

    /// A number of 56 bits, and 8 bits that say how far it is shifted.
    function whole(uint256 packed) private pure returns (uint256) {
        packed &= type(uint64).max;
        return (packed >> 8) << (packed & 0xff);
    }

    function stored(address at, bytes32 slot) private view returns (uint256) {
        return Stored(at).readFromStorage(slot);
    }

    function addressAt(bytes memory answer, uint256 place) private pure returns (address) {
        return address(uint160(wordAt(answer, place * 32)));
    }

    function wordAt(bytes memory data, uint256 offset) private pure returns (uint256 found) {
        assembly ("memory-safe") {
            found := mload(add(add(data, 32), offset))
        }
    }
}
