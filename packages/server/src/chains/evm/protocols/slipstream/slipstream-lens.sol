// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Owners, V3Positions} from "../shared/v3-positions.sol";

interface Registry {
    function poolFactories() external view returns (address[] memory);
    function factoriesToPoolFactory(address factory) external view returns (address votingRewards, address gauges);
}

interface GaugeFactory {
    function nft() external view returns (address);
}

interface Voter {
    function isGauge(address gauge) external view returns (bool);
}

interface Gauge {
    function stakedContains(address owner, uint256 tokenId) external view returns (bool);
    function earned(address owner, uint256 tokenId) external view returns (uint256);
    function rewards(uint256 tokenId) external view returns (uint256);
    function rewardToken() external view returns (address);
}

interface Token {
    function balanceOf(address owner) external view returns (uint256);
}

interface CLFactory {
    function getPool(address token0, address token1, int24 tickSpacing) external view returns (CLPool);
}

interface CLPool {
    function fee() external view returns (uint24);
    function feeGrowthGlobal0X128() external view returns (uint256);
    function feeGrowthGlobal1X128() external view returns (uint256);
}

/**
 * Positions of Slipstream, in the wallet and staked. Pools are found by the spacing of their ticks, and ticks have a word
 * more than Uniswap's before the growth outside. It is never deployed: its runtime code travels with the call.
 */
contract SlipstreamLens is V3Positions {
    /// gauge, reward, pending: of a staked one.
    struct Held {
        Position position;
        address gauge;
        address reward;
        uint256 pending;
    }

    /// Managers of NFTs, each with the factory of its pools. Factories of other pools have gauges that know no manager.
    function managers(address registry) external view returns (address[] memory found, address[] memory factories) {
        if (registry.code.length == 0) return (found, factories);
        factories = Registry(registry).poolFactories();
        found = new address[](factories.length);
        uint256 count = 0;
        for (uint256 i = 0; i < factories.length; i++) {
            (, address gauges) = Registry(registry).factoriesToPoolFactory(factories[i]);
            (bool ok, bytes memory answer) = gauges.staticcall(abi.encodeCall(GaugeFactory.nft, ()));
            if (!ok || answer.length != 32 || uint256(bytes32(answer)) == 0) continue;
            (found[count], factories[count]) = (abi.decode(answer, (address)), factories[i]);
            count++;
        }
        assembly ("memory-safe") {
            mstore(found, count)
            mstore(factories, count)
        }
    }

    /// A page of the wallet's own, closed ones left out.
    function owned(address manager, address factory, address owner, uint256 start, uint256 end)
        external
        view
        returns (Held[] memory page)
    {
        page = new Held[](end - start);
        uint256 count = 0;
        for (uint256 i = start; i < end; i++) {
            Position memory position = page[count].position;
            position.tokenId = Owners(manager).tokenOfOwnerByIndex(owner, i);
            readToken(manager, position);
            if (isClosed(position)) continue;
            readCLPool(manager, factory, position);
            count++;
        }
        assembly ("memory-safe") {
            mstore(page, count)
        }
    }

    /// Those of the NFTs that a gauge of the voter keeps for the wallet; closed ones that earned nothing are left out.
    function staked(address voter, address manager, address factory, address owner, uint256[] calldata ids)
        external
        view
        returns (Held[] memory page)
    {
        page = new Held[](ids.length);
        uint256 count = 0;
        for (uint256 i = 0; i < ids.length; i++) {
            Held memory one = page[count];
            one.gauge = gaugeOf(voter, manager, owner, ids[i]);
            if (one.gauge == address(0)) continue;
            Gauge gauge = Gauge(one.gauge);
            one.position.tokenId = ids[i];
            one.reward = gauge.rewardToken();
            // An update of the gauge parks what was earned until then.
            one.pending = gauge.earned(owner, ids[i]) + gauge.rewards(ids[i]);
            uint256 kept = Token(one.reward).balanceOf(one.gauge);
            if (one.pending > kept) one.pending = kept;
            readToken(manager, one.position);
            if (one.pending == 0 && isClosed(one.position)) continue;
            readCLPool(one.gauge, factory, one.position);
            count++;
        }
        assembly ("memory-safe") {
            mstore(page, count)
        }
    }

    /// Zero if the NFT is not staked by the wallet, or is no more.
    function gaugeOf(address voter, address manager, address owner, uint256 id) private view returns (address gauge) {
        (bool ok, bytes memory answer) = manager.staticcall(abi.encodeWithSignature("ownerOf(uint256)", id));
        if (!ok || answer.length != 32) return address(0);
        gauge = abi.decode(answer, (address));
        if (gauge == owner || !Voter(voter).isGauge(gauge) || !Gauge(gauge).stakedContains(owner, id)) return address(0);
    }

    /// `keeper`: under whom the pool keeps the liquidity of the range.
    function readCLPool(address keeper, address factory, Position memory position) private view {
        CLPool pool = CLFactory(factory).getPool(position.token0, position.token1, int24(position.fee));
        position.pool = address(pool);
        position.fee = pool.fee();
        bytes memory slot0 = words(address(pool), abi.encodeWithSignature("slot0()"), 2);
        position.sqrtPriceX96 = uint160(word(slot0, 0));
        position.tick = int24(int256(word(slot0, 1)));
        readCLGrowth(pool, position);
        bytes32 key = keccak256(abi.encodePacked(keeper, position.tickLower, position.tickUpper));
        bytes memory kept = words(address(pool), abi.encodeWithSignature("positions(bytes32)", key), 5);
        Share memory pooled = position.pooled;
        pooled.liquidity = uint128(word(kept, 0));
        pooled.insideLast0 = word(kept, 1);
        pooled.insideLast1 = word(kept, 2);
        pooled.owed0 = uint128(word(kept, 3));
        pooled.owed1 = uint128(word(kept, 4));
    }

    function readCLGrowth(CLPool pool, Position memory position) private view {
        (uint256 lower0, uint256 lower1) = outside(pool, position.tickLower);
        (uint256 upper0, uint256 upper1) = outside(pool, position.tickUpper);
        unchecked {
            if (position.tick < position.tickLower) {
                position.inside0 = lower0 - upper0;
                position.inside1 = lower1 - upper1;
            } else if (position.tick < position.tickUpper) {
                position.inside0 = pool.feeGrowthGlobal0X128() - lower0 - upper0;
                position.inside1 = pool.feeGrowthGlobal1X128() - lower1 - upper1;
            } else {
                position.inside0 = upper0 - lower0;
                position.inside1 = upper1 - lower1;
            }
        }
    }

    function outside(CLPool pool, int24 tick) private view returns (uint256, uint256) {
        bytes memory info = words(address(pool), abi.encodeWithSignature("ticks(int24)", tick), 5);
        return (word(info, 3), word(info, 4));
    }
}
