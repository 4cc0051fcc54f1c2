// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Blue, Market, MarketParams, assetsDown} from "./blue.sol";

interface Factory {
    function isMetaMorpho(address vault) external view returns (bool);
    function isVaultV2(address vault) external view returns (bool);
    function isMorphoMarketV1Adapter(address adapter) external view returns (bool);
    function isMorphoMarketV1AdapterV2(address adapter) external view returns (bool);
    function isMorphoVaultV1Adapter(address adapter) external view returns (bool);
}

interface Token {
    function balanceOf(address owner) external view returns (uint256);
}

interface Vault is Token {
    function asset() external view returns (address);
    function convertToAssets(uint256 shares) external view returns (uint256);
}

interface VaultV1 is Vault {
    function withdrawQueueLength() external view returns (uint256);
    function withdrawQueue(uint256 place) external view returns (bytes32);
}

interface VaultV2 is Vault {
    function canSendShares(address account) external view returns (bool);
    function canReceiveAssets(address account) external view returns (bool);
    function liquidityAdapter() external view returns (address);
    function liquidityData() external view returns (bytes memory);
    function isAdapter(address adapter) external view returns (bool);
}

interface Adapter {
    function parentVault() external view returns (address);
    function morphoVaultV1() external view returns (VaultV1);
}

/// The contracts that make vaults and their adapters. Some may not exist yet.
struct Factories {
    address[] vaults;
    address[] vaultsV2;
    address[] marketAdapters;
    address[] vaultAdapters;
}

/**
 * Which tokens are vaults that Morpho's factories made, and what a share could be redeemed for. The factories vouch for the
 * code of what they made, and their owners may have lent all assets to a market of their own. It is never deployed: its
 * runtime code travels with the call.
 */
contract VaultLens {
    uint256 private constant MARKET_GAS = 1_000_000;
    uint256 private constant FOREIGN_GAS = 300_000;
    uint256 private constant MARKET_BYTES = 160;

    /// versions: 1 or 2, or 0 for what is no vault; assets: what is lent through it.
    function recognise(Factories calldata by, address[] calldata tokens)
        external
        view
        returns (uint8[] memory versions, address[] memory assets)
    {
        versions = new uint8[](tokens.length);
        assets = new address[](tokens.length);
        for (uint256 i = 0; i < tokens.length; i++) {
            versions[i] = versionOf(by, tokens[i]);
            if (versions[i] > 0) assets[i] = Vault(tokens[i]).asset();
        }
    }

    /**
     * claimed: what the shares convert to; paid: what of that a withdrawal pays now. `owner`: to whom gates apply; none if
     * zero.
     */
    function worth(Blue blue, Factories calldata by, Vault vault, uint256 shares, address owner)
        external
        returns (uint256 claimed, uint256 paid)
    {
        claimed = vault.convertToAssets(shares);
        uint8 version = versionOf(by, address(vault));
        if (version == 1) paid = paidByQueue(blue, VaultV1(address(vault)), claimed);
        if (version == 2) paid = paidThroughAdapter(blue, by, VaultV2(address(vault)), claimed, owner);
    }

    function versionOf(Factories calldata by, address vault) private view returns (uint8) {
        if (isMadeBy(by.vaults, Factory.isMetaMorpho.selector, vault)) return 1;
        return isMadeBy(by.vaultsV2, Factory.isVaultV2.selector, vault) ? 2 : 0;
    }

    function isMadeBy(address[] calldata factories, bytes4 flag, address made) private view returns (bool) {
        for (uint256 i = 0; i < factories.length; i++) {
            (bool ok, bytes memory answer) = factories[i].staticcall(abi.encodeWithSelector(flag, made));
            if (ok && answer.length == 32 && abi.decode(answer, (uint256)) == 1) return true;
        }
        return false;
    }

    /// Markets are asked in the order of a withdrawal, until they have enough. One that cannot accrue is passed over, as
    /// by the vault.
    function paidByQueue(Blue blue, VaultV1 vault, uint256 wanted) private returns (uint256 paid) {
        uint256 length = vault.withdrawQueueLength();
        for (uint256 i = 0; i < length && paid < wanted; i++) {
            paid += takenFrom(blue, vault.withdrawQueue(i), address(vault), vault.asset(), wanted - paid);
        }
    }

    function paidThroughAdapter(Blue blue, Factories calldata by, VaultV2 vault, uint256 wanted, address owner)
        private
        returns (uint256)
    {
        if (owner != address(0) && !letsLeave(vault, owner)) return 0;
        address asset = vault.asset();
        uint256 idle = balanceOf(asset, address(vault));
        if (idle >= wanted) return wanted;
        address adapter = vault.liquidityAdapter();
        uint256 missing = wanted - idle;
        if (!vault.isAdapter(adapter)) return idle;
        bool ofMarkets = isMadeBy(by.marketAdapters, Factory.isMorphoMarketV1AdapterV2.selector, adapter)
            || isMadeBy(by.marketAdapters, Factory.isMorphoMarketV1Adapter.selector, adapter);
        if (ofMarkets && Adapter(adapter).parentVault() == address(vault)) {
            bytes memory market = vault.liquidityData();
            if (market.length != MARKET_BYTES) return idle;
            return idle + takenFrom(blue, keccak256(market), adapter, asset, missing);
        }
        bool ofVault = isMadeBy(by.vaultAdapters, Factory.isMorphoVaultV1Adapter.selector, adapter);
        if (!ofVault || Adapter(adapter).parentVault() != address(vault)) return idle;
        VaultV1 inner = Adapter(adapter).morphoVaultV1();
        if (!isMadeBy(by.vaults, Factory.isMetaMorpho.selector, address(inner))) return idle;
        uint256 own = inner.convertToAssets(inner.balanceOf(adapter));
        return idle + paidByQueue(blue, inner, own < missing ? own : missing);
    }

    /// Gates are of the owner's choice.
    function letsLeave(VaultV2 vault, address owner) private view returns (bool) {
        return says(address(vault), abi.encodeCall(VaultV2.canSendShares, (owner)))
            && says(address(vault), abi.encodeCall(VaultV2.canReceiveAssets, (owner)));
    }

    function says(address target, bytes memory question) private view returns (bool) {
        (bool ok, bytes memory answer) = target.staticcall{gas: FOREIGN_GAS}(question);
        return ok && answer.length >= 32 && abi.decode(answer, (uint256)) == 1;
    }

    function balanceOf(address asset, address owner) private view returns (uint256) {
        (bool ok, bytes memory answer) =
            asset.staticcall{gas: FOREIGN_GAS}(abi.encodeCall(Token.balanceOf, (owner)));
        return ok && answer.length >= 32 ? abi.decode(answer, (uint256)) : 0;
    }

    function takenFrom(Blue blue, bytes32 id, address owner, address asset, uint256 wanted) private returns (uint256) {
        try this.available{gas: MARKET_GAS}(blue, id, owner, asset) returns (uint256 amount) {
            return amount < wanted ? amount : wanted;
        } catch {
            return 0;
        }
    }

    /// What the owner can take out of a market at once.
    function available(Blue blue, bytes32 id, address owner, address asset) external returns (uint256) {
        MarketParams memory params = blue.idToMarketParams(id);
        if (params.loanToken != asset) return 0;
        blue.accrueInterest(params);
        Market memory market = blue.market(id);
        (uint256 shares,,) = blue.position(id, owner);
        uint256 supplied = assetsDown(shares, market.totalSupplyAssets, market.totalSupplyShares);
        uint256 free = market.totalSupplyAssets - market.totalBorrowAssets;
        return supplied < free ? supplied : free;
    }
}
