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

/**
 * Which tokens are Euler's, and what shares of a vault could be redeemed for. The factories vouch for the code of what they
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

    /// claimed: what the shares convert to; paid: what of that the vault could pay, or all if it is verified.
    function worth(Contracts calldata by, address vault, uint256 shares)
        external
        view
        returns (uint256 claimed, uint256 paid)
    {
        claimed = Vault(vault).convertToAssets(shares);
        if (isVerified(by, vault)) return (claimed, claimed);
        if (isMade(by.factory, vault)) paid = Vault(vault).cash();
        else if (isEarn(by, vault)) paid = paidByQueue(by, vault, claimed);
        if (paid > claimed) paid = claimed;
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

    /// Strategies are asked in the order of a withdrawal, until they have enough. What no factory made pays nothing.
    function paidByQueue(Contracts calldata by, address vault, uint256 wanted) private view returns (uint256 paid) {
        uint256 length = Earn(vault).withdrawQueueLength();
        for (uint256 i = 0; i < length && paid < wanted; i++) {
            address strategy = Earn(vault).withdrawQueue(i);
            if (!isMade(by.factory, strategy) && !isEarn(by, strategy)) continue;
            paid += wordOf(strategy, STRATEGY_GAS, abi.encodeCall(Vault.maxWithdraw, (vault)));
        }
    }
}
