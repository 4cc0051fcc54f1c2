// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {EarnFactory, FLAG_GAS, Vault, isMade, wordOf} from "./euler.sol";

interface DebtToken {
    function eVault() external view returns (address);
}

interface Perspective {
    function isVerified(address vault) external view returns (bool);
}

interface Earn {
    function withdrawQueueLength() external view returns (uint256);
    function withdrawQueue(uint256 place) external view returns (address);
}

/// A bound on what can be taken out: what `at` can withdraw from a strategy, or its cash where there is none.
struct Limit {
    address at;
    address strategy;
    uint256 free;
}

/**
 * Which tokens are Euler's, and in which ways vaults can pay. The factories vouch for the code of what they
 * made; its creator chose the asset, the oracle and the rate of interest. It is never deployed: its runtime code travels with
 * the call.
 */
contract VaultLens {
    struct Contracts {
        address factory;
        address[] earnFactories;
        address[] perspectives;
    }

    uint256 private constant STRANGER_GAS = 10_000;
    uint256 private constant STRATEGY_GAS = 1_000_000;
    uint256 private constant MOST_WAYS = 64;

    /// kinds: 1 a lending vault, 2 a vault over vaults, 3 the token of a debt, 0 none of these.
    function recognise(Contracts calldata by, address[] calldata tokens)
        external
        view
        returns (uint8[] memory kinds, address[] memory assets)
    {
        kinds = new uint8[](tokens.length);
        assets = new address[](tokens.length);
        for (uint256 i = 0; i < tokens.length; i++) {
            (uint8 kind, address vault) = kindOf(by, tokens[i]);
            if (kind == 0) continue;
            (kinds[i], assets[i]) = (kind, Vault(vault).asset());
        }
    }

    /// In which ways the vault pays a withdrawal, in its order; none are listed of one that a perspective verified.
    function ways(Contracts calldata by, address vault) external view returns (bool verified, Limit[][] memory found) {
        verified = isVerified(by, vault);
        if (verified) return (true, found);
        if (isMade(by.factory, vault)) {
            found = new Limit[][](1);
            found[0] = new Limit[](1);
            found[0][0] = cashOf(vault);
        } else if (isEarn(by, vault)) {
            found = waysOfQueue(by, vault);
        }
    }

    function kindOf(Contracts calldata by, address token) private view returns (uint8, address) {
        if (isMade(by.factory, token)) return (1, token);
        if (isEarn(by, token)) return (2, token);
        address vault = address(uint160(wordOf(token, STRANGER_GAS, abi.encodeCall(DebtToken.eVault, ()))));
        if (vault == address(0) || !isMade(by.factory, vault) || Vault(vault).dToken() != token) return (0, vault);
        return (3, vault);
    }

    function isEarn(Contracts calldata by, address vault) private view returns (bool) {
        for (uint256 i = 0; i < by.earnFactories.length; i++) {
            if (wordOf(by.earnFactories[i], FLAG_GAS, abi.encodeCall(EarnFactory.isVault, (vault))) == 1) return true;
        }
        return false;
    }

    function isVerified(Contracts calldata by, address vault) private view returns (bool) {
        for (uint256 i = 0; i < by.perspectives.length; i++) {
            if (wordOf(by.perspectives[i], FLAG_GAS, abi.encodeCall(Perspective.isVerified, (vault))) == 1) return true;
        }
        return false;
    }

    /// Each lending vault of the queue that could pay, and those in the queue of a vault over vaults in it. What no factory
    /// made pays nothing.
    function waysOfQueue(Contracts calldata by, address vault) private view returns (Limit[][] memory found) {
        found = new Limit[][](MOST_WAYS);
        uint256 count = 0;
        uint256 length = Earn(vault).withdrawQueueLength();
        for (uint256 i = 0; i < length && count < MOST_WAYS; i++) {
            address strategy = Earn(vault).withdrawQueue(i);
            Limit[] memory way = new Limit[](2);
            way[0] = takenFrom(strategy, vault);
            if (way[0].free == 0) continue;
            if (isMade(by.factory, strategy)) {
                way[1] = cashOf(strategy);
                found[count++] = way;
            } else if (isEarn(by, strategy)) {
                count = addInner(by, strategy, way[0], found, count);
            }
        }
        assembly ("memory-safe") {
            mstore(found, count)
        }
    }

    function addInner(
        Contracts calldata by,
        address vault,
        Limit memory outer,
        Limit[][] memory found,
        uint256 count
    ) private view returns (uint256) {
        uint256 length = Earn(vault).withdrawQueueLength();
        for (uint256 i = 0; i < length && count < MOST_WAYS; i++) {
            address strategy = Earn(vault).withdrawQueue(i);
            if (!isMade(by.factory, strategy)) continue;
            Limit[] memory way = new Limit[](3);
            (way[0], way[1], way[2]) = (outer, takenFrom(strategy, vault), cashOf(strategy));
            if (way[1].free > 0) found[count++] = way;
        }
        return count;
    }

    function takenFrom(address strategy, address vault) private view returns (Limit memory) {
        uint256 most = wordOf(strategy, STRATEGY_GAS, abi.encodeCall(Vault.maxWithdraw, (vault)));
        return Limit(vault, strategy, most);
    }

    function cashOf(address vault) private view returns (Limit memory) {
        return Limit(vault, address(0), Vault(vault).cash());
    }
}
