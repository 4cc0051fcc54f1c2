// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20, IERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

interface IVaultAdapter {
    function realAssets() external view returns (uint256);
    function allocate(bytes memory data, uint256 assets) external;
    function deallocate(bytes memory data, uint256 assets) external;
}

interface IGate {
    function canSendShares(address account) external view returns (bool);
    function canReceiveAssets(address account) external view returns (bool);
}

/**
 * A vault written from the behaviour of Morpho's Vault V2: assets lie idle or in adapters, interest is bounded by a rate,
 * withdrawals take what is idle and then one adapter, gates may refuse accounts, and all `max` functions answer 0. The
 * owner does at once what takes a timelock there; caps and the management fee are left out.
 */
contract MorphoVaultV2 is ERC20 {
    error NotOwner();
    error NotAdapter();
    error CannotSendShares();
    error CannotReceiveAssets();

    event Deposit(address indexed sender, address indexed onBehalf, uint256 assets, uint256 shares);
    event Withdraw(
        address indexed sender, address indexed receiver, address indexed onBehalf, uint256 assets, uint256 shares
    );

    uint256 private constant WAD = 1e18;

    address public immutable owner;
    address public immutable asset;
    uint256 public immutable virtualShares;
    uint8 private immutable digits;

    uint128 public _totalAssets;
    uint64 public lastUpdate;
    uint256 public maxRate;
    uint256 public performanceFee;
    address public performanceFeeRecipient;
    address[] public adapters;
    mapping(address => bool) public isAdapter;
    address public liquidityAdapter;
    bytes public liquidityData;
    address public sendSharesGate;
    address public receiveAssetsGate;

    constructor(address owner_, address asset_) ERC20("Morpho Vault V2", "mvV2") {
        (owner, asset, lastUpdate) = (owner_, asset_, uint64(block.timestamp));
        uint8 places = ERC20(asset_).decimals();
        digits = places < 18 ? 18 : places;
        virtualShares = 10 ** (digits - places);
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    function decimals() public view override returns (uint8) {
        return digits;
    }

    function setMaxRate(uint256 newMaxRate) external onlyOwner {
        accrueInterest();
        maxRate = newMaxRate;
    }

    function setPerformanceFee(uint256 newFee, address recipient) external onlyOwner {
        accrueInterest();
        (performanceFee, performanceFeeRecipient) = (newFee, recipient);
    }

    function setGates(address sends, address receives) external onlyOwner {
        (sendSharesGate, receiveAssetsGate) = (sends, receives);
    }

    function addAdapter(address adapter) external onlyOwner {
        adapters.push(adapter);
        isAdapter[adapter] = true;
    }

    function setLiquidityAdapterAndData(address adapter, bytes memory data) external onlyOwner {
        (liquidityAdapter, liquidityData) = (adapter, data);
    }

    function allocate(address adapter, bytes memory data, uint256 assets) external onlyOwner {
        put(adapter, data, assets);
    }

    function deallocate(address adapter, bytes memory data, uint256 assets) external onlyOwner {
        take(adapter, data, assets);
    }

    function accrueInterest() public {
        (uint256 total, uint256 feeShares,) = accrueInterestView();
        _totalAssets = uint128(total);
        if (feeShares > 0) _mint(performanceFeeRecipient, feeShares);
        lastUpdate = uint64(block.timestamp);
    }

    function accrueInterestView() public view returns (uint256 total, uint256 feeShares, uint256 managementFeeShares) {
        uint256 real = IERC20(asset).balanceOf(address(this));
        for (uint256 i = 0; i < adapters.length; i++) real += IVaultAdapter(adapters[i]).realAssets();
        uint256 most = _totalAssets + (_totalAssets * (block.timestamp - lastUpdate) * maxRate) / WAD;
        total = real < most ? real : most;
        uint256 interest = total > _totalAssets ? total - _totalAssets : 0;
        uint256 feeAssets = (interest * performanceFee) / WAD;
        feeShares = (feeAssets * (totalSupply() + virtualShares)) / (total - feeAssets + 1);
        managementFeeShares = 0;
    }

    function totalAssets() external view returns (uint256 total) {
        (total,,) = accrueInterestView();
    }

    function previewDeposit(uint256 assets) public view returns (uint256) {
        (uint256 total, uint256 feeShares,) = accrueInterestView();
        return (assets * (totalSupply() + feeShares + virtualShares)) / (total + 1);
    }

    function previewWithdraw(uint256 assets) public view returns (uint256) {
        (uint256 total, uint256 feeShares,) = accrueInterestView();
        return (assets * (totalSupply() + feeShares + virtualShares) + total) / (total + 1);
    }

    function previewRedeem(uint256 shares) public view returns (uint256) {
        (uint256 total, uint256 feeShares,) = accrueInterestView();
        return (shares * (total + 1)) / (totalSupply() + feeShares + virtualShares);
    }

    function convertToShares(uint256 assets) external view returns (uint256) {
        return previewDeposit(assets);
    }

    function convertToAssets(uint256 shares) external view returns (uint256) {
        return previewRedeem(shares);
    }

    function maxDeposit(address) external pure returns (uint256) {
        return 0;
    }

    function maxMint(address) external pure returns (uint256) {
        return 0;
    }

    function maxWithdraw(address) external pure returns (uint256) {
        return 0;
    }

    function maxRedeem(address) external pure returns (uint256) {
        return 0;
    }

    function canSendShares(address account) public view returns (bool) {
        return sendSharesGate == address(0) || IGate(sendSharesGate).canSendShares(account);
    }

    function canReceiveAssets(address account) public view returns (bool) {
        return account == address(this) || receiveAssetsGate == address(0)
            || IGate(receiveAssetsGate).canReceiveAssets(account);
    }

    function deposit(uint256 assets, address onBehalf) external returns (uint256 shares) {
        accrueInterest();
        shares = previewDeposit(assets);
        require(IERC20(asset).transferFrom(msg.sender, address(this), assets));
        _mint(onBehalf, shares);
        _totalAssets += uint128(assets);
        emit Deposit(msg.sender, onBehalf, assets, shares);
        if (liquidityAdapter != address(0)) put(liquidityAdapter, liquidityData, assets);
    }

    function withdraw(uint256 assets, address receiver, address onBehalf) external returns (uint256 shares) {
        accrueInterest();
        shares = previewWithdraw(assets);
        exit(assets, shares, receiver, onBehalf);
    }

    function redeem(uint256 shares, address receiver, address onBehalf) external returns (uint256 assets) {
        accrueInterest();
        assets = previewRedeem(shares);
        exit(assets, shares, receiver, onBehalf);
    }

    function exit(uint256 assets, uint256 shares, address receiver, address onBehalf) private {
        if (!canSendShares(onBehalf)) revert CannotSendShares();
        if (!canReceiveAssets(receiver)) revert CannotReceiveAssets();
        uint256 idle = IERC20(asset).balanceOf(address(this));
        if (assets > idle && liquidityAdapter != address(0)) take(liquidityAdapter, liquidityData, assets - idle);
        if (msg.sender != onBehalf) _spendAllowance(onBehalf, msg.sender, shares);
        _burn(onBehalf, shares);
        _totalAssets -= uint128(assets);
        require(IERC20(asset).transfer(receiver, assets));
        emit Withdraw(msg.sender, receiver, onBehalf, assets, shares);
    }

    function put(address adapter, bytes memory data, uint256 assets) private {
        if (!isAdapter[adapter]) revert NotAdapter();
        require(IERC20(asset).transfer(adapter, assets));
        IVaultAdapter(adapter).allocate(data, assets);
    }

    function take(address adapter, bytes memory data, uint256 assets) private {
        if (!isAdapter[adapter]) revert NotAdapter();
        IVaultAdapter(adapter).deallocate(data, assets);
        require(IERC20(asset).transferFrom(adapter, address(this), assets));
    }
}
