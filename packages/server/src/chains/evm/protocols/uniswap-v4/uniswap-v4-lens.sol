// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {PROBE_GAS, gainsOf} from "../shared/gains.sol";

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

interface Manager {
    function ownerOf(uint256 tokenId) external view returns (address);
    function getPoolAndPositionInfo(uint256 tokenId) external view returns (PoolKey memory key, uint256 info);
}

interface State {
    function getSlot0(bytes32 poolId)
        external
        view
        returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee);
    function getFeeGrowthInside(bytes32 poolId, int24 tickLower, int24 tickUpper)
        external
        view
        returns (uint256 inside0, uint256 inside1);
    function getPositionInfo(bytes32 poolId, address owner, int24 tickLower, int24 tickUpper, bytes32 salt)
        external
        view
        returns (uint128 liquidity, uint256 insideLast0, uint256 insideLast1);
}

/**
 * The facts behind those of some NFTs of Uniswap v4 that a wallet owns; what they pay is arithmetic and happens outside.
 * It is never deployed: its runtime code travels with the call.
 */
contract UniswapV4Lens {
    struct Position {
        uint256 tokenId;
        address currency0;
        address currency1;
        address hooks;
        uint24 fee;
        uint24 lpFee;
        int24 tickLower;
        int24 tickUpper;
        int24 tick;
        uint160 sqrtPriceX96;
        uint256 inside0;
        uint256 inside1;
        uint128 liquidity;
        uint256 insideLast0;
        uint256 insideLast1;
    }

    /// What taking a position out pays the wallet, where its hook is asked. `tried` is false where that could not be tested.
    struct Gain {
        uint256 tokenId;
        bool tried;
        uint256 amount0;
        uint256 amount1;
    }

    /// Of a hook's address: it is called before or after liquidity is removed, or takes a part of it.
    uint160 private constant ASKED_AT_REMOVAL = 1 << 9 | 1 << 8 | 1;
    uint256 private constant RESERVE = 1_000_000;
    bytes private constant REMOVE_AND_TAKE = hex"0111";

    /// owned: how many of the NFTs are the wallet's. Those without liquidity have nothing and are left out of `open`.
    function positions(Manager manager, State state, address wallet, uint256[] calldata tokenIds)
        external
        returns (uint256 owned, Position[] memory open, Gain[] memory gains)
    {
        open = new Position[](tokenIds.length);
        gains = new Gain[](tokenIds.length);
        uint256 count = 0;
        uint256 tested = 0;
        for (uint256 i = 0; i < tokenIds.length; i++) {
            // Reverts for an NFT that is burnt, or not minted yet.
            try manager.ownerOf(tokenIds[i]) returns (address owner) {
                if (owner != wallet) continue;
            } catch {
                continue;
            }
            owned++;
            Position memory position = open[count];
            position.tokenId = tokenIds[i];
            if (!read(manager, state, position)) continue;
            count++;
            if (uint160(position.hooks) & ASKED_AT_REMOVAL != 0) gains[tested++] = gainOf(manager, wallet, position);
        }
        assembly ("memory-safe") {
            mstore(open, count)
            mstore(gains, tested)
        }
    }

    function gainOf(Manager manager, address wallet, Position memory position) private returns (Gain memory gain) {
        gain.tokenId = position.tokenId;
        if (gasleft() < PROBE_GAS + RESERVE) return gain;
        bytes[] memory steps = new bytes[](2);
        steps[0] = abi.encode(position.tokenId, position.liquidity, 0, 0, "");
        steps[1] = abi.encode(position.currency0, position.currency1, wallet);
        bytes memory data = abi.encodeWithSignature(
            "modifyLiquidities(bytes,uint256)", abi.encode(REMOVE_AND_TAKE, steps), block.timestamp
        );
        (gain.tried, gain.amount0, gain.amount1) =
            gainsOf(wallet, address(manager), data, position.currency0, position.currency1);
    }

    /// Whether there is liquidity.
    function read(Manager manager, State state, Position memory position) private view returns (bool) {
        (PoolKey memory key, uint256 info) = manager.getPoolAndPositionInfo(position.tokenId);
        bytes32 pool = keccak256(abi.encode(key));
        // From the lowest bit: 8 for a subscriber, 24 and 24 for the ticks, and the start of the pool's id.
        position.tickLower = int24(int256(info >> 8));
        position.tickUpper = int24(int256(info >> 32));
        (position.liquidity, position.insideLast0, position.insideLast1) = state.getPositionInfo(
            pool, address(manager), position.tickLower, position.tickUpper, bytes32(position.tokenId)
        );
        if (position.liquidity == 0) return false;
        position.currency0 = key.currency0;
        position.currency1 = key.currency1;
        position.hooks = key.hooks;
        position.fee = key.fee;
        (position.sqrtPriceX96, position.tick,, position.lpFee) = state.getSlot0(pool);
        (position.inside0, position.inside1) =
            state.getFeeGrowthInside(pool, position.tickLower, position.tickUpper);
        return true;
    }
}
