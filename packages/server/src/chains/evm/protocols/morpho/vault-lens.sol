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

/// A bound on what can be taken out: what `at` has lent to a market, and of Morpho Blue what the market has lent to no one;
/// where `market` is zero what `at` holds of the asset. In the place of a market also the address of an inner vault.
struct Limit {
    address at;
    bytes32 market;
    uint256 free;
}

/**
 * Which tokens are vaults that Morpho's factories made, and in which ways they can pay. The factories vouch for the
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

    /// In which ways the vault pays a withdrawal, in its order. `owner`: to whom gates apply; none if zero.
    function ways(Blue blue, Factories calldata by, Vault vault, address owner) external returns (Limit[][] memory found) {
        uint8 version = versionOf(by, address(vault));
        if (version == 1) return waysOfQueue(blue, VaultV1(address(vault)), new Limit[](0));
        if (version == 2) return waysThroughAdapter(blue, by, VaultV2(address(vault)), owner);
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

    /// Each market of the queue that has something of the vault and can pay some of it, below the limits `outer`. One that
    /// cannot accrue is passed over, as by the vault.
    function waysOfQueue(Blue blue, VaultV1 vault, Limit[] memory outer) private returns (Limit[][] memory found) {
        uint256 length = vault.withdrawQueueLength();
        address asset = vault.asset();
        found = new Limit[][](length);
        uint256 count = 0;
        for (uint256 i = 0; i < length; i++) {
            Limit[] memory way = wayOf(blue, vault.withdrawQueue(i), address(vault), asset, outer);
            if (way.length > 0) found[count++] = way;
        }
        assembly ("memory-safe") {
            mstore(found, count)
        }
    }

    function waysThroughAdapter(Blue blue, Factories calldata by, VaultV2 vault, address owner)
        private
        returns (Limit[][] memory found)
    {
        if (owner != address(0) && !letsLeave(vault, owner)) return found;
        address asset = vault.asset();
        Limit[] memory idle = new Limit[](1);
        idle[0] = Limit(address(vault), 0, balanceOf(asset, address(vault)));
        return preceded(idle, waysOf(blue, by, vault, vault.liquidityAdapter(), asset));
    }

    function waysOf(Blue blue, Factories calldata by, VaultV2 vault, address adapter, address asset)
        private
        returns (Limit[][] memory found)
    {
        if (!vault.isAdapter(adapter)) return found;
        bool ofMarkets = isMadeBy(by.marketAdapters, Factory.isMorphoMarketV1AdapterV2.selector, adapter)
            || isMadeBy(by.marketAdapters, Factory.isMorphoMarketV1Adapter.selector, adapter);
        if (ofMarkets && Adapter(adapter).parentVault() == address(vault)) {
            bytes memory market = vault.liquidityData();
            if (market.length != MARKET_BYTES) return found;
            Limit[] memory way = wayOf(blue, keccak256(market), adapter, asset, new Limit[](0));
            if (way.length == 0) return found;
            found = new Limit[][](1);
            found[0] = way;
            return found;
        }
        bool ofVault = isMadeBy(by.vaultAdapters, Factory.isMorphoVaultV1Adapter.selector, adapter);
        if (!ofVault || Adapter(adapter).parentVault() != address(vault)) return found;
        VaultV1 inner = Adapter(adapter).morphoVaultV1();
        if (!isMadeBy(by.vaults, Factory.isMetaMorpho.selector, address(inner))) return found;
        Limit[] memory own = new Limit[](1);
        own[0] = Limit(
            adapter, bytes32(uint256(uint160(address(inner)))), inner.convertToAssets(inner.balanceOf(adapter))
        );
        return waysOfQueue(blue, inner, own);
    }

    function preceded(Limit[] memory first, Limit[][] memory others) private pure returns (Limit[][] memory all) {
        all = new Limit[][](others.length + 1);
        all[0] = first;
        for (uint256 i = 0; i < others.length; i++) all[i + 1] = others[i];
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

    /// What the owner has lent to a market, and what the market could pay to anyone; empty if nothing.
    function wayOf(Blue blue, bytes32 id, address owner, address asset, Limit[] memory outer)
        private
        returns (Limit[] memory way)
    {
        try this.available{gas: MARKET_GAS}(blue, id, owner, asset) returns (uint256 supplied, uint256 free) {
            if (supplied == 0 || free == 0) return way;
            uint256 count = outer.length;
            way = new Limit[](count + 2);
            for (uint256 i = 0; i < count; i++) way[i] = outer[i];
            way[count] = Limit(owner, id, supplied);
            way[count + 1] = Limit(address(blue), id, free);
        } catch {}
    }

    function available(Blue blue, bytes32 id, address owner, address asset)
        external
        returns (uint256 supplied, uint256 free)
    {
        MarketParams memory params = blue.idToMarketParams(id);
        if (params.loanToken != asset) return (0, 0);
        blue.accrueInterest(params);
        Market memory market = blue.market(id);
        (uint256 shares,,) = blue.position(id, owner);
        supplied = assetsDown(shares, market.totalSupplyAssets, market.totalSupplyShares);
        free = market.totalSupplyAssets - market.totalBorrowAssets;
    }
}
