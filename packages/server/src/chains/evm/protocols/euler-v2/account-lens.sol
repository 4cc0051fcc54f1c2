// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vault, isMade, wordOf} from "./euler.sol";

interface Connector {
    function getAccountOwner(address account) external view returns (address);
    function getCollaterals(address account) external view returns (address[] memory);
    function getControllers(address account) external view returns (address[] memory);
}

/**
 * The accounts that a wallet owns at Euler's connector (EVC): its own address and those that share its first 19 bytes. It is
 * never deployed: its runtime code travels with the call.
 */
contract AccountLens {
    struct Account {
        address account;
        // The vault that the account owes to, its asset, and how much of it; none if zero.
        address controller;
        address asset;
        uint256 debt;
        // What the collateral backs ÷ what is owed, 18 decimals; the maximum without debt, or without a price.
        uint256 health;
        // Vaults of the factory that are enabled as collateral and in which the account has shares.
        address[] collaterals;
    }

    uint256 private constant ACCOUNTS = 256;
    /// An account has at most ten collaterals and, while it is settled, one controller.
    uint256 private constant MOST_VAULTS = 2816;
    /// For one account, its oracles included; and what must be left for an answer.
    uint256 private constant ACCOUNT_GAS = 3_000_000;
    uint256 private constant HEALTH_GAS = 1_500_000;
    uint256 private constant SHARES_GAS = 100_000;
    uint256 private constant RESERVE = 500_000;

    /// The accounts with a collateral or a controller, and the vaults that these are; none of a wallet that owns no account.
    function used(Connector evc, address wallet)
        external
        view
        returns (address[] memory accounts, address[] memory vaults)
    {
        if (evc.getAccountOwner(wallet) != wallet) return (accounts, vaults);
        accounts = new address[](ACCOUNTS);
        vaults = new address[](MOST_VAULTS);
        uint256 known = 0;
        uint256 named = 0;
        for (uint256 i = 0; i < ACCOUNTS; i++) {
            address account = address(uint160(wallet) ^ uint160(i));
            uint256 before = named;
            named = copyTo(vaults, named, evc.getCollaterals(account));
            named = copyTo(vaults, named, evc.getControllers(account));
            if (named > before) accounts[known++] = account;
        }
        assembly ("memory-safe") {
            mstore(accounts, known)
            mstore(vaults, named)
        }
    }

    /// Those of the accounts that are the wallet's: its own address, and what it owns beside. refused: could not be read.
    function accounts(Connector evc, address factory, address wallet, address[] calldata list)
        external
        view
        returns (Account[] memory found, address[] memory refused)
    {
        found = new Account[](list.length);
        refused = new address[](list.length);
        uint256 known = 0;
        uint256 unknown = 0;
        bool isOwner = evc.getAccountOwner(wallet) == wallet;
        for (uint256 i = 0; i < list.length; i++) {
            if (list[i] != wallet && (!isOwner || (uint160(list[i]) ^ uint160(wallet)) >= ACCOUNTS)) continue;
            if (gasleft() < ACCOUNT_GAS + RESERVE) {
                refused[unknown++] = list[i];
                continue;
            }
            try this.account{gas: ACCOUNT_GAS}(evc, factory, list[i]) returns (Account memory one) {
                found[known++] = one;
            } catch {
                refused[unknown++] = list[i];
            }
        }
        assembly ("memory-safe") {
            mstore(found, known)
            mstore(refused, unknown)
        }
    }

    function account(Connector evc, address factory, address at) external view returns (Account memory one) {
        one.account = at;
        one.health = type(uint256).max;
        address[] memory collaterals = evc.getCollaterals(at);
        uint256 held = 0;
        for (uint256 i = 0; i < collaterals.length; i++) {
            if (!isMade(factory, collaterals[i])) continue;
            if (wordOf(collaterals[i], SHARES_GAS, abi.encodeCall(Vault.balanceOf, (at))) > 0) {
                collaterals[held++] = collaterals[i];
            }
        }
        assembly ("memory-safe") {
            mstore(collaterals, held)
        }
        one.collaterals = collaterals;
        address[] memory controllers = evc.getControllers(at);
        if (controllers.length == 0 || !isMade(factory, controllers[0])) return one;
        one.debt = Vault(controllers[0]).debtOf(at);
        if (one.debt == 0) return one;
        (one.controller, one.asset) = (controllers[0], Vault(controllers[0]).asset());
        try this.healthOf{gas: HEALTH_GAS}(controllers[0], at) returns (uint256 health) {
            one.health = health;
        } catch {}
    }

    /// As the vault itself decides about a liquidation, which begins at 1. Reverts where the price is missing.
    function healthOf(address controller, address at) external view returns (uint256) {
        (uint256 backed, uint256 owed) = Vault(controller).accountLiquidity(at, true);
        return owed == 0 ? type(uint256).max : (backed * 1e18) / owed;
    }

    function copyTo(address[] memory list, uint256 length, address[] memory more) private pure returns (uint256) {
        for (uint256 i = 0; i < more.length; i++) list[length++] = more[i];
        return length;
    }
}
