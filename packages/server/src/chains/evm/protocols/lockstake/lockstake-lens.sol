// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Jug, Vat, healthOf, owedOf} from "../shared/vat.sol";

interface Engine {
    function vat() external view returns (Vat);
    function jug() external view returns (Jug);
    function ilk() external view returns (bytes32);
    function ownerUrnsCount(address owner) external view returns (uint256);
    function ownerUrns(address owner, uint256 index) external view returns (address);
    function urnVoteDelegates(address urn) external view returns (address);
    function urnAuctions(address urn) external view returns (uint256);
}

interface Farm {
    function rewardsToken() external view returns (Token);
    function earned(address urn) external view returns (uint256);
}

interface Token {
    function balanceOf(address owner) external view returns (uint256);
}

/**
 * The positions of a wallet in Sky's staking engine. Fees are accrued first, by the protocol's own function. It is never
 * deployed: its runtime code travels with the call.
 */
contract LockstakeLens {
    struct Urn {
        uint256 index;
        uint256 locked;
        uint256 owed;
        // 18 decimals; the maximum without debt.
        uint256 health;
        bool isDelegated;
        bool isInAuction;
        // What each of the farms would pay, whichever of them the position is in now.
        uint256[] rewards;
    }

    uint256 private constant URN_GAS = 1_000_000;
    uint256 private constant RESERVE = 500_000;

    /// refused: indexes of positions that could not be read.
    function urns(Engine engine, Farm[] calldata farms, address wallet)
        external
        returns (Urn[] memory found, uint256[] memory refused)
    {
        uint256 count = engine.ownerUrnsCount(wallet);
        found = new Urn[](count);
        refused = new uint256[](count);
        uint256 known = 0;
        uint256 unknown = 0;
        for (uint256 i = 0; i < count; i++) {
            if (gasleft() < URN_GAS + RESERVE) {
                refused[unknown++] = i;
                continue;
            }
            try this.urn{gas: URN_GAS}(engine, farms, engine.ownerUrns(wallet, i)) returns (Urn memory one) {
                one.index = i;
                found[known++] = one;
            } catch {
                refused[unknown++] = i;
            }
        }
        assembly ("memory-safe") {
            mstore(found, known)
            mstore(refused, unknown)
        }
    }

    function urn(Engine engine, Farm[] calldata farms, address at) external returns (Urn memory one) {
        (Vat vat, bytes32 ilk) = (engine.vat(), engine.ilk());
        (uint256 ink, uint256 art) = vat.urns(ilk, at);
        uint256 rad = art == 0 ? 0 : art * engine.jug().drip(ilk);
        (one.locked, one.owed, one.health) = (ink, owedOf(rad), healthOf(vat, ilk, ink, rad));
        one.isDelegated = engine.urnVoteDelegates(at) != address(0);
        one.isInAuction = engine.urnAuctions(at) > 0;
        one.rewards = new uint256[](farms.length);
        for (uint256 i = 0; i < farms.length; i++) {
            one.rewards[i] = rewardOf(farms[i], at);
            if (isFirstOf(farms, i)) one.rewards[i] += farms[i].rewardsToken().balanceOf(at);
        }
    }

    /// A farm pays what it has: stakes are of another token.
    function rewardOf(Farm farm, address at) private view returns (uint256) {
        uint256 earned = farm.earned(at);
        if (earned == 0) return 0;
        uint256 kept = farm.rewardsToken().balanceOf(address(farm));
        return earned < kept ? earned : kept;
    }

    /// A claim pays all that the urn has of the token, so that it counts for one farm.
    function isFirstOf(Farm[] calldata farms, uint256 place) private view returns (bool) {
        for (uint256 i = 0; i < place; i++) {
            if (farms[i].rewardsToken() == farms[place].rewardsToken()) return false;
        }
        return true;
    }
}
