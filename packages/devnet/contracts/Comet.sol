// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface IPriceFeed {
    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80);
}

interface IDecimals {
    function decimals() external view returns (uint8);
}

/**
 * A market of Compound v3, written from how Compound's own contract behaves: the same interface, events, widths of
 * numbers and rounding. One base token is lent and borrowed; up to 24 other tokens are collateral. There are no pauses,
 * no governance and no sale of collateral, and the extension's functions are in the contract itself.
 */
contract Comet {
    using SafeERC20 for IERC20;

    struct AssetInfo {
        uint8 offset;
        address asset;
        address priceFeed;
        uint64 scale;
        uint64 borrowCollateralFactor;
        uint64 liquidateCollateralFactor;
        uint64 liquidationFactor;
        uint128 supplyCap;
    }

    /// Interest of a year by utilisation: it rises by one slope up to the kink, and by another beyond it. 18 decimals.
    struct Curve {
        uint64 kink;
        uint64 slopeLow;
        uint64 slopeHigh;
        uint64 base;
    }

    struct Settings {
        string symbol;
        address baseToken;
        address baseTokenPriceFeed;
        Curve supply;
        Curve borrow;
        uint64 trackingIndexScale;
        uint64 baseTrackingSupplySpeed;
        uint64 baseTrackingBorrowSpeed;
        uint104 baseMinForRewards;
        uint104 baseBorrowMin;
        AssetInfo[] assets;
    }

    struct UserBasic {
        int104 principal;
        uint64 baseTrackingIndex;
        uint64 baseTrackingAccrued;
        uint16 assetsIn;
        uint8 _reserved;
    }

    struct UserCollateral {
        uint128 balance;
        uint128 _reserved;
    }

    struct TotalsCollateral {
        uint128 totalSupplyAsset;
        uint128 _reserved;
    }

    struct TotalsBasic {
        uint64 baseSupplyIndex;
        uint64 baseBorrowIndex;
        uint64 trackingSupplyIndex;
        uint64 trackingBorrowIndex;
        uint104 totalSupplyBase;
        uint104 totalBorrowBase;
        uint40 lastAccrualTime;
        uint8 pauseFlags;
    }

    error BadAmount();
    error BadAsset();
    error BadPrice();
    error BorrowTooSmall();
    error NoSelfTransfer();
    error NotCollateralized();
    error NotLiquidatable();
    error OutOfRange();
    error SupplyCapExceeded();
    error Unauthorized();

    event Supply(address indexed from, address indexed dst, uint256 amount);
    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Withdraw(address indexed src, address indexed to, uint256 amount);
    event SupplyCollateral(address indexed from, address indexed dst, address indexed asset, uint256 amount);
    event TransferCollateral(address indexed from, address indexed to, address indexed asset, uint256 amount);
    event WithdrawCollateral(address indexed src, address indexed to, address indexed asset, uint256 amount);
    event AbsorbDebt(address indexed absorber, address indexed borrower, uint256 basePaidOut, uint256 usdValue);
    event AbsorbCollateral(
        address indexed absorber,
        address indexed borrower,
        address indexed asset,
        uint256 collateralAbsorbed,
        uint256 usdValue
    );
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    uint256 private constant SECONDS_PER_YEAR = 31_536_000;
    uint256 private constant FACTOR = 1e18;
    uint256 private constant INDEX = 1e15;
    uint64 public constant baseAccrualScale = 1e6;
    uint8 private constant FIRST_FLAGS = 16;

    string public name;
    string public symbol;
    uint8 public immutable decimals;
    address public immutable baseToken;
    address public immutable baseTokenPriceFeed;
    uint256 public immutable baseScale;
    uint256 public immutable trackingIndexScale;
    uint256 public immutable baseTrackingSupplySpeed;
    uint256 public immutable baseTrackingBorrowSpeed;
    uint256 public immutable baseMinForRewards;
    uint256 public immutable baseBorrowMin;
    uint8 public immutable numAssets;

    /// By second.
    Curve private supplyCurve;
    Curve private borrowCurve;
    AssetInfo[] private assets;

    TotalsBasic private totals;
    mapping(address => TotalsCollateral) public totalsCollateral;
    mapping(address => mapping(address => bool)) public isAllowed;
    mapping(address => UserBasic) public userBasic;
    mapping(address => mapping(address => UserCollateral)) public userCollateral;

    constructor(Settings memory settings) {
        name = string.concat("Compound ", settings.symbol);
        symbol = settings.symbol;
        decimals = IDecimals(settings.baseToken).decimals();
        baseToken = settings.baseToken;
        baseTokenPriceFeed = settings.baseTokenPriceFeed;
        baseScale = 10 ** IDecimals(settings.baseToken).decimals();
        trackingIndexScale = settings.trackingIndexScale;
        baseTrackingSupplySpeed = settings.baseTrackingSupplySpeed;
        baseTrackingBorrowSpeed = settings.baseTrackingBorrowSpeed;
        baseMinForRewards = settings.baseMinForRewards;
        baseBorrowMin = settings.baseBorrowMin;
        numAssets = uint8(settings.assets.length);
        supplyCurve = bySecond(settings.supply);
        borrowCurve = bySecond(settings.borrow);
        for (uint8 i = 0; i < settings.assets.length; i++) {
            AssetInfo memory asset = settings.assets[i];
            asset.offset = i;
            asset.scale = uint64(10 ** IDecimals(asset.asset).decimals());
            assets.push(asset);
        }
        totals.lastAccrualTime = uint40(block.timestamp);
        totals.baseSupplyIndex = uint64(INDEX);
        totals.baseBorrowIndex = uint64(INDEX);
    }

    function bySecond(Curve memory curve) private pure returns (Curve memory) {
        return Curve(
            curve.kink,
            uint64(curve.slopeLow / SECONDS_PER_YEAR),
            uint64(curve.slopeHigh / SECONDS_PER_YEAR),
            uint64(curve.base / SECONDS_PER_YEAR)
        );
    }

    // Interest

    function getUtilization() public view returns (uint256) {
        uint256 supplied = grown(totals.totalSupplyBase, totals.baseSupplyIndex);
        uint256 owed = grown(totals.totalBorrowBase, totals.baseBorrowIndex);
        return supplied == 0 ? 0 : owed * FACTOR / supplied;
    }

    function getSupplyRate(uint256 utilization) public view returns (uint64) {
        return rateOf(supplyCurve, utilization);
    }

    function getBorrowRate(uint256 utilization) public view returns (uint64) {
        return rateOf(borrowCurve, utilization);
    }

    function rateOf(Curve storage curve, uint256 utilization) private view returns (uint64) {
        uint256 below = utilization < curve.kink ? utilization : curve.kink;
        uint256 rate = curve.base + curve.slopeLow * below / FACTOR;
        return narrow64(rate + curve.slopeHigh * (utilization - below) / FACTOR);
    }

    /// The indices as of this block. Compound's contract has no such view: it is there for tests.
    function accruedIndices() public view returns (uint64 supplyIndex, uint64 borrowIndex) {
        (supplyIndex, borrowIndex) = (totals.baseSupplyIndex, totals.baseBorrowIndex);
        uint256 elapsed = block.timestamp - totals.lastAccrualTime;
        if (elapsed == 0) return (supplyIndex, borrowIndex);
        uint256 utilization = getUtilization();
        supplyIndex += narrow64(supplyIndex * (getSupplyRate(utilization) * elapsed) / FACTOR);
        borrowIndex += narrow64(borrowIndex * (getBorrowRate(utilization) * elapsed) / FACTOR);
    }

    function accrue() private {
        uint256 elapsed = block.timestamp - totals.lastAccrualTime;
        if (elapsed == 0) return;
        (totals.baseSupplyIndex, totals.baseBorrowIndex) = accruedIndices();
        if (totals.totalSupplyBase >= baseMinForRewards) {
            uint256 speed = baseTrackingSupplySpeed * elapsed;
            totals.trackingSupplyIndex += narrow64(speed * baseScale / totals.totalSupplyBase);
        }
        if (totals.totalBorrowBase >= baseMinForRewards) {
            uint256 speed = baseTrackingBorrowSpeed * elapsed;
            totals.trackingBorrowIndex += narrow64(speed * baseScale / totals.totalBorrowBase);
        }
        totals.lastAccrualTime = uint40(block.timestamp);
    }

    function accrueAccount(address account) external {
        accrue();
        setPrincipal(account, userBasic[account].principal);
    }

    function grown(uint256 principal, uint64 index) private pure returns (uint256) {
        return principal * index / INDEX;
    }

    /// Base units that an account has; negative: that it owes. By the stored indices.
    function presentValue(int104 principal) private view returns (int256) {
        if (principal >= 0) return int256(grown(uint104(principal), totals.baseSupplyIndex));
        return -int256(grown(uint104(-principal), totals.baseBorrowIndex));
    }

    /// Principal of a supply is rounded down, of a debt up.
    function principalOf(int256 value) private view returns (int104) {
        if (value >= 0) return narrow104(uint256(value) * INDEX / totals.baseSupplyIndex);
        uint64 index = totals.baseBorrowIndex;
        return -narrow104((uint256(-value) * INDEX + index - 1) / index);
    }

    // Rewards

    /// Stores a principal, after what the old one earned since the account was last touched.
    function setPrincipal(address account, int104 principal) private {
        UserBasic storage basic = userBasic[account];
        int104 old = basic.principal;
        uint64 index = old >= 0 ? totals.trackingSupplyIndex : totals.trackingBorrowIndex;
        uint256 earning = uint104(old >= 0 ? old : -old);
        uint256 earned = earning * (index - basic.baseTrackingIndex) / trackingIndexScale;
        basic.baseTrackingAccrued += narrow64(earned / (baseScale / baseAccrualScale));
        basic.baseTrackingIndex = principal >= 0 ? totals.trackingSupplyIndex : totals.trackingBorrowIndex;
        basic.principal = principal;
    }

    function baseTrackingAccrued(address account) external view returns (uint64) {
        return userBasic[account].baseTrackingAccrued;
    }

    // Supply

    function supply(address asset, uint256 amount) external {
        supplyFor(msg.sender, msg.sender, asset, amount);
    }

    function supplyTo(address dst, address asset, uint256 amount) external {
        supplyFor(msg.sender, dst, asset, amount);
    }

    function supplyFrom(address from, address dst, address asset, uint256 amount) external {
        supplyFor(from, dst, asset, amount);
    }

    function supplyFor(address from, address dst, address asset, uint256 amount) private {
        if (!hasPermission(from, msg.sender)) revert Unauthorized();
        if (asset != baseToken) return supplyCollateral(from, dst, asset, amount);
        supplyBase(from, dst, amount == type(uint256).max ? borrowBalanceOf(dst) : amount);
    }

    function supplyBase(address from, address dst, uint256 wanted) private {
        uint256 amount = takeIn(baseToken, from, wanted);
        accrue();
        uint256 supplied = credit(dst, amount);
        emit Supply(from, dst, amount);
        if (supplied > 0) emit Transfer(address(0), dst, grown(supplied, totals.baseSupplyIndex));
    }

    /// Adds base units to an account, its debt first; returns the principal that is supplied by it.
    function credit(address account, uint256 amount) private returns (uint256 supplied) {
        int104 old = userBasic[account].principal;
        int104 principal = principalOf(presentValue(old) + int256(amount));
        supplied = addPrincipal(old, principal);
        setPrincipal(account, principal);
    }

    /// Moves the totals from one principal of an account to a higher one.
    function addPrincipal(int104 old, int104 principal) private returns (uint256 supplied) {
        if (principal < old) return 0;
        supplied = above(principal) - above(old);
        totals.totalSupplyBase += uint104(supplied);
        totals.totalBorrowBase -= uint104(above(-old) - above(-principal));
    }

    function above(int104 value) private pure returns (uint256) {
        return value > 0 ? uint104(value) : 0;
    }

    function supplyCollateral(address from, address dst, address asset, uint256 wanted) private {
        uint128 amount = narrow128(takeIn(asset, from, narrow128(wanted)));
        AssetInfo memory info = getAssetInfoByAddress(asset);
        totalsCollateral[asset].totalSupplyAsset += amount;
        if (totalsCollateral[asset].totalSupplyAsset > info.supplyCap) revert SupplyCapExceeded();
        setCollateral(dst, info, userCollateral[dst][asset].balance + amount);
        emit SupplyCollateral(from, dst, asset, amount);
    }

    /// Which assets an account has is kept by bits: the first sixteen in `assetsIn`, the others in `_reserved`.
    function setCollateral(address account, AssetInfo memory info, uint128 balance) private {
        userCollateral[account][info.asset].balance = balance;
        UserBasic storage basic = userBasic[account];
        uint24 flag = uint24(1) << info.offset;
        uint24 flags = uint24(basic.assetsIn) | (uint24(basic._reserved) << FIRST_FLAGS);
        flags = balance > 0 ? flags | flag : flags & ~flag;
        basic.assetsIn = uint16(flags);
        basic._reserved = uint8(flags >> FIRST_FLAGS);
    }

    // Withdrawal

    function withdraw(address asset, uint256 amount) external {
        withdrawFor(msg.sender, msg.sender, asset, amount);
    }

    function withdrawTo(address to, address asset, uint256 amount) external {
        withdrawFor(msg.sender, to, asset, amount);
    }

    function withdrawFrom(address src, address to, address asset, uint256 amount) external {
        withdrawFor(src, to, asset, amount);
    }

    function withdrawFor(address src, address to, address asset, uint256 amount) private {
        if (!hasPermission(src, msg.sender)) revert Unauthorized();
        if (asset != baseToken) return withdrawCollateral(src, to, asset, amount);
        withdrawBase(src, to, amount == type(uint256).max ? balanceOf(src) : amount);
    }

    function withdrawBase(address src, address to, uint256 amount) private {
        accrue();
        uint256 withdrawn = debit(src, amount);
        IERC20(baseToken).safeTransfer(to, amount);
        emit Withdraw(src, to, amount);
        if (withdrawn > 0) emit Transfer(src, address(0), grown(withdrawn, totals.baseSupplyIndex));
    }

    /// Takes base units from an account, the rest as a debt; returns the principal that is withdrawn by it.
    function debit(address account, uint256 amount) private returns (uint256 withdrawn) {
        int104 old = userBasic[account].principal;
        int256 value = presentValue(old) - int256(amount);
        int104 principal = principalOf(value);
        if (principal <= old) {
            withdrawn = above(old) - above(principal);
            totals.totalSupplyBase -= uint104(withdrawn);
            totals.totalBorrowBase += uint104(above(-principal) - above(-old));
        }
        setPrincipal(account, principal);
        if (value >= 0) return withdrawn;
        if (uint256(-value) < baseBorrowMin) revert BorrowTooSmall();
        if (!isBorrowCollateralized(account)) revert NotCollateralized();
    }

    function withdrawCollateral(address src, address to, address asset, uint256 wanted) private {
        uint128 amount = narrow128(wanted);
        totalsCollateral[asset].totalSupplyAsset -= amount;
        setCollateral(src, getAssetInfoByAddress(asset), userCollateral[src][asset].balance - amount);
        if (!isBorrowCollateralized(src)) revert NotCollateralized();
        IERC20(asset).safeTransfer(to, amount);
        emit WithdrawCollateral(src, to, asset, amount);
    }

    // Transfers between accounts

    function transfer(address dst, uint256 amount) external returns (bool) {
        move(msg.sender, dst, baseToken, amount);
        return true;
    }

    function transferFrom(address src, address dst, uint256 amount) external returns (bool) {
        move(src, dst, baseToken, amount);
        return true;
    }

    function transferAsset(address dst, address asset, uint256 amount) external {
        move(msg.sender, dst, asset, amount);
    }

    function transferAssetFrom(address src, address dst, address asset, uint256 amount) external {
        move(src, dst, asset, amount);
    }

    function move(address src, address dst, address asset, uint256 amount) private {
        if (!hasPermission(src, msg.sender)) revert Unauthorized();
        if (src == dst) revert NoSelfTransfer();
        if (asset != baseToken) return moveCollateral(src, dst, asset, narrow128(amount));
        moveBase(src, dst, amount == type(uint256).max ? balanceOf(src) : amount);
    }

    /// Whatever is supplied ends at one account and begins at the other: no `Transfer` names both.
    function moveBase(address src, address dst, uint256 amount) private {
        accrue();
        uint256 withdrawn = debit(src, amount);
        uint256 supplied = credit(dst, amount);
        if (withdrawn > 0) emit Transfer(src, address(0), grown(withdrawn, totals.baseSupplyIndex));
        if (supplied > 0) emit Transfer(address(0), dst, grown(supplied, totals.baseSupplyIndex));
    }

    function moveCollateral(address src, address dst, address asset, uint128 amount) private {
        AssetInfo memory info = getAssetInfoByAddress(asset);
        setCollateral(src, info, userCollateral[src][asset].balance - amount);
        setCollateral(dst, info, userCollateral[dst][asset].balance + amount);
        if (!isBorrowCollateralized(src)) revert NotCollateralized();
        emit TransferCollateral(src, dst, asset, amount);
    }

    // Liquidation

    function absorb(address absorber, address[] calldata accounts) external {
        accrue();
        for (uint256 i = 0; i < accounts.length; i++) absorbOne(absorber, accounts[i]);
    }

    /// All collateral goes to the market, which pays the debt; what it is worth beyond that is supplied.
    function absorbOne(address absorber, address account) private {
        if (!isLiquidatable(account)) revert NotLiquidatable();
        int104 old = userBasic[account].principal;
        int256 before = presentValue(old);
        uint256 basePrice = getPrice(baseTokenPriceFeed);
        uint256 paid = seize(absorber, account) * baseScale / basePrice;
        int256 left = before + int256(paid);
        if (left < 0) left = 0;
        int104 principal = principalOf(left);
        setPrincipal(account, principal);
        uint256 supplied = addPrincipal(old, principal);
        uint256 paidOut = uint256(left - before);
        emit AbsorbDebt(absorber, account, paidOut, paidOut * basePrice / baseScale);
        if (supplied > 0) emit Transfer(address(0), account, grown(supplied, totals.baseSupplyIndex));
    }

    /// What the market pays for all collateral of an account, in the unit of prices.
    function seize(address absorber, address account) private returns (uint256 value) {
        for (uint8 i = 0; i < numAssets; i++) {
            AssetInfo memory info = assets[i];
            uint128 seized = userCollateral[account][info.asset].balance;
            if (seized == 0) continue;
            setCollateral(account, info, 0);
            totalsCollateral[info.asset].totalSupplyAsset -= seized;
            uint256 worth = seized * getPrice(info.priceFeed) / info.scale;
            value += worth * info.liquidationFactor / FACTOR;
            emit AbsorbCollateral(absorber, account, info.asset, seized, worth);
        }
    }

    function isBorrowCollateralized(address account) public view returns (bool) {
        int104 principal = userBasic[account].principal;
        return principal >= 0 || spare(account, principal, false) >= 0;
    }

    function isLiquidatable(address account) public view returns (bool) {
        int104 principal = userBasic[account].principal;
        return principal < 0 && spare(account, principal, true) < 0;
    }

    /// Collateral by its factors less the debt, in the unit of prices. Prices are asked until the debt is covered.
    function spare(address account, int104 principal, bool toLiquidate) private view returns (int256 left) {
        left = presentValue(principal) * int256(getPrice(baseTokenPriceFeed)) / int256(baseScale);
        for (uint8 i = 0; i < numAssets && left < 0; i++) {
            AssetInfo storage info = assets[i];
            uint256 balance = userCollateral[account][info.asset].balance;
            if (balance == 0) continue;
            uint256 factor = toLiquidate ? info.liquidateCollateralFactor : info.borrowCollateralFactor;
            left += int256(balance * getPrice(info.priceFeed) / info.scale * factor / FACTOR);
        }
    }

    function getPrice(address priceFeed) public view returns (uint256) {
        (, int256 price,,,) = IPriceFeed(priceFeed).latestRoundData();
        if (price <= 0) revert BadPrice();
        return uint256(price);
    }

    // Views

    function balanceOf(address account) public view returns (uint256) {
        (uint64 index,) = accruedIndices();
        return grown(above(userBasic[account].principal), index);
    }

    function borrowBalanceOf(address account) public view returns (uint256) {
        (, uint64 index) = accruedIndices();
        return grown(above(-userBasic[account].principal), index);
    }

    function totalSupply() external view returns (uint256) {
        (uint64 index,) = accruedIndices();
        return grown(totals.totalSupplyBase, index);
    }

    function totalBorrow() external view returns (uint256) {
        (, uint64 index) = accruedIndices();
        return grown(totals.totalBorrowBase, index);
    }

    function totalsBasic() external view returns (TotalsBasic memory) {
        return totals;
    }

    function collateralBalanceOf(address account, address asset) external view returns (uint128) {
        return userCollateral[account][asset].balance;
    }

    function getAssetInfo(uint8 i) external view returns (AssetInfo memory) {
        if (i >= numAssets) revert BadAsset();
        return assets[i];
    }

    function getAssetInfoByAddress(address asset) public view returns (AssetInfo memory) {
        for (uint8 i = 0; i < numAssets; i++) if (assets[i].asset == asset) return assets[i];
        revert BadAsset();
    }

    // Allowances: for everything that an account has, or for nothing

    function hasPermission(address owner, address manager) public view returns (bool) {
        return owner == manager || isAllowed[owner][manager];
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return hasPermission(owner, spender) ? type(uint256).max : 0;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        if (amount != 0 && amount != type(uint256).max) revert BadAmount();
        setAllowed(spender, amount != 0);
        return true;
    }

    function allow(address manager, bool isAllowed_) external {
        setAllowed(manager, isAllowed_);
    }

    function setAllowed(address manager, bool allowed) private {
        isAllowed[msg.sender][manager] = allowed;
        emit Approval(msg.sender, manager, allowed ? type(uint256).max : 0);
    }

    // Arithmetic

    /// What really came in: a token may keep a part of what it moves.
    function takeIn(address asset, address from, uint256 amount) private returns (uint256) {
        uint256 before = IERC20(asset).balanceOf(address(this));
        IERC20(asset).safeTransferFrom(from, address(this), amount);
        return IERC20(asset).balanceOf(address(this)) - before;
    }

    function narrow64(uint256 value) private pure returns (uint64) {
        if (value > type(uint64).max) revert OutOfRange();
        return uint64(value);
    }

    function narrow104(uint256 value) private pure returns (int104) {
        if (value > uint104(type(int104).max)) revert OutOfRange();
        return int104(uint104(value));
    }

    function narrow128(uint256 value) private pure returns (uint128) {
        if (value > type(uint128).max) revert OutOfRange();
        return uint128(value);
    }
}
